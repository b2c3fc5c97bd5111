/// The services and characteristics of both protocols. Sources: nRF5 SDK, "DFU transport: BLE" and
/// "Buttonless Secure DFU Service"; nRF51 SDK 8, "BLE DFU Service".
enum DFUServices {
    enum Secure {
        static let service = "0000fe59-0000-1000-8000-00805f9b34fb"
        static let controlPoint = "8ec90001-f315-4f60-9fb8-838830daea50"
        static let packet = "8ec90002-f315-4f60-9fb8-838830daea50"
        /// The characteristic of an application that shares no bonds with its bootloader.
        static let buttonless = "8ec90003-f315-4f60-9fb8-838830daea50"
        /// The characteristic of an application that shares its bonds with its bootloader.
        static let buttonlessWithBonds = "8ec90004-f315-4f60-9fb8-838830daea50"
    }

    enum Legacy {
        static let service = "00001530-1212-efde-1523-785feabcd123"
        static let controlPoint = "00001531-1212-efde-1523-785feabcd123"
        static let packet = "00001532-1212-efde-1523-785feabcd123"
        static let version = "00001534-1212-efde-1523-785feabcd123"
        /// The DFU Version of a running application, which has to jump to its bootloader before the
        /// update.
        static let versionOfApplication: [UInt8] = [1, 0]
    }

    /// Services that any device may have besides the DFU service: Generic Access, Generic
    /// Attribute, Device Information.
    static let generic: Set<String> = [
        "00001800-0000-1000-8000-00805f9b34fb",
        "00001801-0000-1000-8000-00805f9b34fb",
        "0000180a-0000-1000-8000-00805f9b34fb",
    ]
}

extension DFUPackage.Format {
    var service: String {
        self == .secure ? DFUServices.Secure.service : DFUServices.Legacy.service
    }

    var other: DFUPackage.Format { self == .secure ? .legacy : .secure }

    /// The command that builds a package of this format.
    var buildCommand: String {
        self == .secure ? "nrfutil pkg generate" : "adafruit-nrfutil dfu genpkg"
    }
}
