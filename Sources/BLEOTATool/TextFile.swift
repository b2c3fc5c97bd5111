import SystemPackage

/// Reads the lines of a file.
enum TextFile {
    private static let byteCountMax = 256 << 20

    static func lines(of path: FilePath) throws(Failure) -> [String] {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly)
            return try descriptor.closeAfter {
                var bytes: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = try piece.withUnsafeMutableBytes { try descriptor.read(into: $0) }
                    guard count > 0 else { break }
                    bytes += piece[..<count]
                    guard bytes.count <= byteCountMax else { throw Errno.fileTooLarge }
                }
                return bytes.split(separator: UInt8(ascii: "\n"))
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        } catch {
            throw Failure(
                .inputOutput,
                "\(path) can't be read (\(error)); give frames in hexadecimal, or a file that "
                    + "contains them."
            )
        }
    }
}
