public import BlueZ

/// The information that a device advertises about its firmware, and that a central can read without
/// connecting (spec/bleota.md, section 10.3). Anyone can advertise anything: nothing here is
/// authenticated.
public struct AdvertisedFirmware: Hashable, Sendable {
    /// The maximum length of an advertised version in bytes: of the 31 bytes of an advertisement,
    /// its flags take 3, the head of the service data 18, and the flags in the data 1.
    public static let versionByteCountMax = 9

    /// The version of the running firmware; `nil` if it is unknown, or too long to be advertised.
    public var version: String?
    /// Whether the device wants an update.
    public var wantsUpdate: Bool

    /// Bit 7 of the first byte is 1, and bit 6 is 0. No text in UTF-8 begins with such a byte.
    private static let mark: UInt8 = 0x80
    private static let markMask: UInt8 = 0xC0
    private static let updateFlag: UInt8 = 0x01

    /// Creates the information to advertise.
    public init(version: String? = nil, wantsUpdate: Bool = false) {
        self.version = version
        self.wantsUpdate = wantsUpdate
    }

    //= ADV-1: A reader MUST ignore the reserved bits.
    //= ADV-2: If the first byte is not 0x80 to 0xBF, a reader MUST take the whole service data as
    //= the version.
    /// Reads service data of the bleota service.
    public init(serviceData data: [UInt8]) {
        let hasFlags = data.first.map { $0 & Self.markMask == Self.mark } ?? false
        wantsUpdate = hasFlags && data[0] & Self.updateFlag != 0
        let text = hasFlags ? data[1...] : data[...]
        version = text.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }

    //= ADV-3: A device MUST leave out a version that does not fit, and MUST NOT shorten it.
    /// The service data. A version of more than ``versionByteCountMax`` bytes is left out.
    public var serviceData: [UInt8] {
        let version = version ?? ""
        return [Self.mark | (wantsUpdate ? Self.updateFlag : 0)]
            + (version.utf8.count <= Self.versionByteCountMax ? Array(version.utf8) : [])
    }
}

extension Discovery {
    /// The information that the device advertises about its firmware; `nil` if there is none.
    public var advertisedFirmware: AdvertisedFirmware? {
        serviceData[UpdateService.uuid].map(AdvertisedFirmware.init)
    }
}
