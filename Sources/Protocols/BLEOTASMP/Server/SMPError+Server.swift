extension SMPError {
    /// The codes of the image group that this device reports. Source: Zephyr, "SMP Groups", image
    /// management.
    enum ImageCode: Int {
        case unusableTLV = 5
        case unknownHash = 8
        case noFreeSlot = 9
        case writeFailed = 12
        case unknownSlot = 14
        case noOffset = 20
        case noLength = 21
        case invalidHeader = 22
        case wrongMagic = 23
        case wrongHash = 24
        case notNewer = 27
        case tooLarge = 30
        case overrun = 31
        case confirmationDenied = 32
        case runsAlready = 33
    }

    static func image(_ code: ImageCode) -> SMPError {
        SMPError(group: Int(SMPRequest.Group.image), code: code.rawValue)
    }

    static let invalid = SMPError(group: nil, code: Code.invalid)
    static let notSupported = SMPError(group: nil, code: Code.notSupported)
    static let messageTooLarge = SMPError(group: nil, code: Code.tooLarge)
    static let corrupt = SMPError(group: nil, code: Code.corrupt)
    static let busy = SMPError(group: nil, code: Code.busy)
    static let denied = SMPError(group: nil, code: Code.denied)
    static let badState = SMPError(group: nil, code: Code.badState)
    /// The error for a query about the bootloader that this device can't answer: OS group, code 2.
    static let noAnswer = SMPError(group: Int(SMPRequest.Group.system), code: 2)

    /// The code for a client of the older version, which has no codes of its own for each group.
    var codeOfOlderVersion: Int {
        guard group == Int(SMPRequest.Group.image) else {
            return group == nil ? code : Code.invalid
        }
        return switch ImageCode(rawValue: code) {
        case .unknownHash, .noFreeSlot: Code.notFound
        case .notNewer, .confirmationDenied, .runsAlready: Code.badState
        case .writeFailed: Code.unknown
        case .wrongMagic, .invalidHeader, .unusableTLV, .noOffset, .noLength, .wrongHash,
            .tooLarge, .overrun, .unknownSlot, nil:
            Code.invalid
        }
    }
}
