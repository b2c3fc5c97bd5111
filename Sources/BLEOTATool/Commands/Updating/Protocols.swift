import ArgumentParser
import BLEOTA
import BLEOTAESPOTA
import BLEOTANordicDFU
import BLEOTASMP

/// The protocols by which `bleota push` updates devices. A new protocol is registered here.
enum Protocols {
    /// All protocols, in the order in which they are preferred.
    static func all(isCompressed: Bool = true) -> [any UpdateProtocol] {
        [
            BleotaUpdate(isCompressed: isCompressed),
            SMPProtocol(),
            NordicDFU(),
            ESPOTA(),
        ]
    }

    /// All protocols but bleota's own.
    static let others = all().filter { $0.name != "bleota" }

    /// The names of all protocols.
    static let names = all().map(\.name)
}

/// The name of a protocol, as the value of an option.
struct ProtocolArgument: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
        guard Protocols.names.contains(argument) else { return nil }
        name = argument
    }

    static let allValueStrings = Protocols.names
    static let defaultCompletionKind = CompletionKind.list(Protocols.names)
}
