/// A value that is stored as bytes: a version, then its items.
package protocol Stored {
    /// The most bytes that a value takes, with the sum in a comment.
    static var byteCountMax: Int { get }
    /// The items after the version.
    static var itemCount: Int { get }

    init(from bytes: [UInt8]) throws(CodecError)
    /// The bytes, which are the same for equal values.
    var bytes: [UInt8] { get }
}

/// The version that this program writes, and the only one that there has been.
private let version: UInt64 = 1

extension Stored {
    static func reader(_ bytes: [UInt8]) throws(CodecError) -> CBORReader {
        guard bytes.count <= byteCountMax else { throw .tooLong }
        var reader = CBORReader(bytes)
        let count = try reader.array(max: 24)
        let found = try reader.number()
        guard found == version else { throw .otherVersion(found) }
        guard count == 1 + itemCount else { throw .unexpected }
        return reader
    }

    static func writer() -> CBORWriter {
        var writer = CBORWriter()
        writer.array(1 + itemCount)
        writer.write(version)
        return writer
    }
}
