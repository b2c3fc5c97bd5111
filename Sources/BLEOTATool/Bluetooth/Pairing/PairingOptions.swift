#if BlueZ
import ArgumentParser
import BLEOTA
import BLEOTABlueZ
import BLEOTAWire
import BlueZ

/// Whether to pair with a device, and the passkey.
struct PairingOptions: ParsableArguments {
    @Flag(help: "Pair with the device if it requests pairing.")
    var pair = false

    @Option(
        help: ArgumentHelp(
            "Six digits that the device shows, for --pair; by default, you are asked for them.",
            valueName: "DIGITS"
        ),
        transform: PasskeyArgument.init
    )
    var passkey: PasskeyArgument?

    func validate() throws {
        if passkey != nil, !pair {
            throw ValidationError("--passkey needs --pair")
        }
    }

    /// Registers an agent that handles the daemon's pairing requests, but only for pairings that
    /// this process begins.
    func agent(_ client: BlueZClient) async throws(Failure) -> PairingAgent? {
        guard pair else { return nil }
        do throws(BlueZError) {
            return try await PairingAgent.register(
                PasskeyEntry(known: passkey?.passkey),
                client: client,
                isDefault: false
            )
        } catch {
            throw Failure(error)
        }
    }

    /// The same error, or a better one based on known facts about the device, for example that it
    /// needs pairing.
    ///
    /// - Parameters:
    ///   - hasHeard: whether the device has sent any frame of bleota's own protocol.
    ///   - bondedAddress: the device's address, if the daemon has a bond with it.
    ///   - version: the version of bleota's own protocol that the device reports.
    func explained(
        _ error: TransferError,
        hasHeard: Bool,
        bondedAddress: BluetoothAddress?,
        version: UInt8?
    ) -> any Error {
        if let version, !hasHeard, error.problem == .silent,
            version != ProtocolVersion.current
        {
            return Failure(
                ExitStatus(error),
                "The device uses protocol version \(version) and does not support version "
                    + "\(ProtocolVersion.current); update whichever side is older"
            )
        }
        if let bondedAddress, !hasHeard, Self.mayBeOfLostBond(error) {
            return Failure(
                ExitStatus(error),
                "The device ended the link before it sent anything; if it has lost its bond with "
                    + "this machine, run bluetoothctl remove \(bondedAddress.text), then run the "
                    + "same command again with --pair"
            )
        }
        if pair { return error }
        return switch error.problem {
        case .linkLost(.refused(BlueZError.needsPairing.description)),
            .cannotConnect(BlueZError.needsPairing.description):
            Failure(
                ExitStatus(error),
                "The device must be paired first; run the same command again with --pair"
            )
        // If the device requires pairing, the daemon tries to pair by itself. Without an agent to
        // answer, the link ends, and no error gives the reason.
        case .linkLost(.remote) where !hasHeard,
            .cannotConnect(BlueZError.disconnected.description) where !hasHeard:
            Failure(
                ExitStatus(error),
                "The device ended the link before it sent anything; run the same command again, "
                    + "with --pair if the device needs pairing"
            )
        // Alternatively, the daemon waits for the pairing, and the first write does not complete.
        case .silent where !hasHeard:
            Failure(
                ExitStatus(error),
                "The device does not respond; bring it into range and run the same command again, "
                    + "with --pair if the device needs pairing"
            )
        default: error
        }
    }

    /// Whether a link ends with this error if the device has no key for a bond that the daemon has.
    private static func mayBeOfLostBond(_ error: TransferError) -> Bool {
        switch error.problem {
        case .linkLost(.remote), .cannotConnect(BlueZError.disconnected.description): true
        default: false
        }
    }
}
#endif
