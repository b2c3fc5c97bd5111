/// The result in a response of Legacy DFU. Source: nRF51 SDK 8, "BLE DFU Service".
struct LegacyResult: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt8

    static let success = LegacyResult(rawValue: 1)
    static let invalidState = LegacyResult(rawValue: 2)
    static let notSupported = LegacyResult(rawValue: 3)
    static let tooLarge = LegacyResult(rawValue: 4)
    static let wrongCRC = LegacyResult(rawValue: 5)
    static let failed = LegacyResult(rawValue: 6)
}
