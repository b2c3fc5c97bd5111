@testable import BLEOTANordicDFU

/// A ZIP file made by hand, so that tests can damage it on purpose.
struct TestArchive {
    var files: [(name: String, content: [UInt8])]

    init(_ files: [(name: String, content: [UInt8])]) { self.files = files }

    /// The archive, with its files stored uncompressed. Source: PKWARE, APPNOTE.TXT.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in files {
            var checksum = PrefixChecksum(content)
            let crc = checksum.checksum(ofFirst: content.count)
            let common =
                Self.half(20) + Self.half(0) + Self.half(0) + Self.word(0) + Self.word(crc)
                + Self.word(UInt32(content.count)) + Self.word(UInt32(content.count))
                + Self.half(UInt16(name.utf8.count)) + Self.half(0)
            directory += [0x50, 0x4B, 1, 2] + Self.half(20) + common
            directory += Self.half(0) + Self.half(0) + Self.half(0) + Self.word(0)
            directory += Self.word(UInt32(bytes.count)) + Array(name.utf8)
            bytes += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + content
        }
        let end =
            [0x50, 0x4B, 5, 6] + Self.half(0) + Self.half(0) + Self.half(UInt16(files.count))
            + Self.half(UInt16(files.count)) + Self.word(UInt32(directory.count))
            + Self.word(UInt32(bytes.count)) + Self.half(0)
        return bytes + directory + end
    }

    private static func half(_ number: UInt16) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private static func word(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }
}
