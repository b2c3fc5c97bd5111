/// The file `manifest.json` of a DFU package. nrfutil writes it for Secure DFU, and nrfutil 0.5 and
/// adafruit-nrfutil for Legacy DFU.
struct PackageManifest: Decodable {
    /// The entry of the file about one image.
    struct Entry: Decodable {
        struct Sizes: Decodable {
            let softdeviceByteCount: Int?
            let bootloaderByteCount: Int?

            private enum CodingKeys: String, CodingKey {
                case softdeviceByteCount = "sd_size"
                case bootloaderByteCount = "bl_size"
            }
        }

        /// Only packages for Legacy DFU repeat the fields of the init packet.
        struct InitPacketData: Decodable {}

        let firmwareFileName: String?
        let initPacketFileName: String?
        private let initPacketData: InitPacketData?
        private let metadata: Sizes?
        private let sizes: Sizes

        private enum CodingKeys: String, CodingKey {
            case firmwareFileName = "bin_file"
            case initPacketFileName = "dat_file"
            case initPacketData = "init_packet_data"
            case metadata = "info_read_only_metadata"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            firmwareFileName = try fields.decodeIfPresent(String.self, forKey: .firmwareFileName)
            initPacketFileName =
                try fields.decodeIfPresent(String.self, forKey: .initPacketFileName)
            initPacketData =
                try fields.decodeIfPresent(InitPacketData.self, forKey: .initPacketData)
            metadata = try fields.decodeIfPresent(Sizes.self, forKey: .metadata)
            // Packages for Legacy DFU have the sizes beside the names.
            sizes = try Sizes(from: decoder)
        }

        var isLegacy: Bool { initPacketData != nil }

        var softdeviceByteCount: Int? {
            sizes.softdeviceByteCount ?? metadata?.softdeviceByteCount
        }

        var bootloaderByteCount: Int? {
            sizes.bootloaderByteCount ?? metadata?.bootloaderByteCount
        }
    }

    struct Content: Decodable {
        let softdevice: Entry?
        let bootloader: Entry?
        let softdeviceAndBootloader: Entry?
        let application: Entry?
        let version: Double?

        private enum CodingKeys: String, CodingKey {
            case softdevice, bootloader, application
            case softdeviceAndBootloader = "softdevice_bootloader"
            case version = "dfu_version"
        }

        /// The images in the order in which devices need them: an application may need the new
        /// SoftDevice, which replaces the old application.
        var entries: [(DFUPart.Kind, Entry)] {
            let all: [(DFUPart.Kind, Entry?)] = [
                (.softdeviceAndBootloader, softdeviceAndBootloader),
                (.softdevice, softdevice),
                (.bootloader, bootloader),
                (.application, application),
            ]
            return all.compactMap { kind, entry in entry.map { (kind, $0) } }
        }
    }

    /// `nil` in a manifest of another kind of package.
    let content: Content?

    private enum CodingKeys: String, CodingKey {
        case content = "manifest"
    }

    /// Whether the package is for Legacy DFU.
    var isLegacy: Bool {
        guard let content else { return false }
        return content.version != nil || content.entries.contains { $0.1.isLegacy }
    }
}
