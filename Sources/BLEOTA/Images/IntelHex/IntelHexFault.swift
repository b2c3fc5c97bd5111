/// An error in Intel HEX text.
struct IntelHexFault: Error, Hashable {
    enum Problem: Hashable {
        case noColon(found: UInt8)
        case badCharacter(found: UInt8, column: Int)
        case oddDigitCount(Int)
        case tooShort(byteCount: Int)
        case length(found: Int, expected: Int)
        case checksum(found: UInt8, expected: UInt8)
        case unknownType(UInt8)
        case fixedLength(IntelHexRecord.Kind, found: Int, expected: Int)
        case nonzeroAddress(IntelHexRecord.Kind, found: UInt16)
        case wrapsWithoutBase
        case beyondLastAddress(start: UInt64)
        case overlap(address: UInt64, earlierLine: Int)
        case afterEnd(endLine: Int)
        case noEnd
        case noData
    }

    /// The line of the error, counted from 1; the last line if something is missing.
    let line: Int
    let problem: Problem

    func error(fileName: String) -> FirmwareError {
        FirmwareError(
            .malformedHex,
            fileName: fileName,
            line: line,
            "\(fileName) line \(line): \(problem.finding); \(problem.remedy)."
        )
    }
}

extension IntelHexFault.Problem {
    /// A description of the error and of what was expected instead.
    fileprivate var finding: String {
        switch self {
        case .noColon(let found):
            "the line begins with \(shown(found)) instead of ':'"
        case .badCharacter(let found, let column):
            "\(shown(found)) in column \(column) is not a hexadecimal digit"
        case .oddDigitCount(let count):
            "the record has \(ImageText.count(count, "digit")), but needs an even number"
        case .tooShort(let byteCount):
            "the record has \(ImageText.count(byteCount, "byte")), but the shortest record has 5"
        case .length(let found, let expected):
            "the record announces \(ImageText.count(expected, "data byte")), but has \(found)"
        case .checksum(let found, let expected):
            "the checksum is \(ImageText.digits(found)), but the other bytes of the record require "
                + ImageText.digits(expected)
        case .unknownType(let type):
            "the record type is \(ImageText.digits(type)), but Intel HEX has only types 00 to 05"
        case .fixedLength(let kind, let found, let expected):
            "the \(kind.name) record has \(ImageText.count(found, "data byte")), but must have "
                + "\(expected)"
        case .nonzeroAddress(let kind, let found):
            "the \(kind.name) record has the address \(ImageText.digits(found)), but must have 0000"
        case .wrapsWithoutBase:
            "the record runs past the address FFFF, and no earlier record of type 02 or 04 sets "
                + "the upper bits"
        case .beyondLastAddress(let start):
            "the record from address \(ImageText.address(start)) runs past the last address, "
                + "0xFFFFFFFF"
        case .overlap(let address, let earlierLine):
            "the byte at \(ImageText.address(address)) was already set by line \(earlierLine)"
        case .afterEnd(let endLine):
            "text follows the end-of-file record in line \(endLine)"
        case .noEnd:
            "the file ends without an end-of-file record (:00000001FF)"
        case .noData:
            "the file ends without any data record"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .unknownType(0x0A...0x0E):
            "extract the part for one board from this universal HEX file"
        case .unknownType, .fixedLength, .nonzeroAddress:
            "build the file again with a tool that writes plain Intel HEX"
        case .wrapsWithoutBase, .beyondLastAddress:
            "build the file again with 32-bit addresses (record type 04)"
        case .overlap:
            "build the file again, because two programs in it use the same addresses"
        case .afterEnd:
            "build the file again, or send only one of the two files that were joined"
        case .noEnd:
            "build or download the file again, because it was cut short"
        case .noData:
            "build the file again, and check that its program is not empty"
        case .noColon, .badCharacter, .oddDigitCount, .tooShort, .length, .checksum:
            "build or download the file again, because it is damaged"
        }
    }
}

private func shown(_ byte: UInt8) -> String {
    (0x20...0x7E).contains(byte)
        ? "'\(Unicode.Scalar(byte))'" : "the byte \(ImageText.digits(byte))"
}
