/// The value of the characteristic L2CAP: where a device listens for L2CAP channels
/// (spec/bleota.md, section 10.4).
struct L2CAPOffer: Equatable {
    /// The version of the binding.
    private static let version: UInt8 = 1
    /// The PSMs that Bluetooth leaves to applications (Bluetooth Core 5.4, volume 3, part A, 4.22).
    static let psms: ClosedRange<UInt16> = 0x0080...0x00FF

    private static let versionOffset = 0
    private static let psmOffset = 1
    private static let securityOffset = 3
    private static let byteCount = 4

    let psm: UInt16
    /// The security that a channel needs.
    let security: LinkSecurity

    init(psm: UInt16, security: LinkSecurity) {
        precondition(Self.psms.contains(psm), "the PSM must be one of those for applications")
        self.psm = psm
        self.security = security
    }

    //= COC-1: A central MUST ignore further bytes of the value. It MUST NOT open a channel if the
    //= value is shorter, if it does not know the version or the security, or if the PSM is not
    //= 0x0080 to 0x00FF.
    /// Parses a value; `nil` if this end can't use it.
    init?(_ value: [UInt8]) {
        guard value.count >= Self.byteCount, value[Self.versionOffset] == Self.version,
            let security = LinkSecurity(offerValue: value[Self.securityOffset])
        else { return nil }
        let psm = UInt16(value[Self.psmOffset]) | UInt16(value[Self.psmOffset + 1]) << 8
        guard Self.psms.contains(psm) else { return nil }
        self.init(psm: psm, security: security)
    }

    var value: [UInt8] {
        [
            Self.version, UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8),
            security.offerValue,
        ]
    }
}

extension LinkSecurity {
    fileprivate var offerValue: UInt8 {
        switch self {
        case .open: 0
        case .encrypted: 1
        case .authenticated: 2
        }
    }

    fileprivate init?(offerValue: UInt8) {
        guard let found = Self.allCases.first(where: { $0.offerValue == offerValue }) else {
            return nil
        }
        self = found
    }
}
