/// The result in a response of Secure DFU. Source: nRF5 SDK, "DFU transport: BLE", and the
/// extended errors of "DFU result codes".
struct SecureResult: Sendable, Hashable {
    let code: UInt8
    /// The extended code; `nil` unless `code` indicates an extended code.
    let extendedCode: UInt8?

    enum Code {
        static let success: UInt8 = 1
        static let notSupported: UInt8 = 2
        static let invalidParameter: UInt8 = 3
        static let insufficientResources: UInt8 = 4
        static let invalidObject: UInt8 = 5
        static let unsupportedType: UInt8 = 7
        static let notPermitted: UInt8 = 8
        static let failed: UInt8 = 10
        static let extended: UInt8 = 11
    }

    init(code: UInt8, extendedCode: UInt8? = nil) {
        self.code = code
        self.extendedCode = code == Code.extended ? extendedCode : nil
    }

    /// The image has a lower version than the device accepts.
    static let oldVersion = SecureResult(code: Code.extended, extendedCode: 5)

    var isSuccess: Bool { code == Code.success }
    var isNotPermitted: Bool { code == Code.notPermitted }
}
