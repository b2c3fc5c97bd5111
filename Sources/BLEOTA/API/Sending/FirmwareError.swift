/// An error that explains why a file or an array of bytes can't be sent as firmware.
///
/// The cause is always on this side, such as the file, its permissions, an option or a key, and
/// never the link or the device.
public struct FirmwareError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later releases may add codes, so a switch over them needs a default
    /// case.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case missing, isDirectory, notRegularFile, unreadable, empty, tooLarge, changed
            case malformedHex, malformedMCUboot, malformedBundle, malformedPackage
            case notAsNamed, unsuitable
            case noSuchRegion, cannotWrite
            case unusableKey, tooManySignatures, alreadyDescribed, io
        }

        private let kind: Kind

        /// No file exists at this path.
        public static let missing = Code(kind: .missing)
        /// The path names a directory.
        public static let isDirectory = Code(kind: .isDirectory)
        /// The path names a pipe, a device or a socket.
        public static let notRegularFile = Code(kind: .notRegularFile)
        /// The user is not permitted to read the file.
        public static let unreadable = Code(kind: .unreadable)
        /// The file has no content.
        public static let empty = Code(kind: .empty)
        /// The image exceeds the limit of the protocol, or the text of an Intel HEX file
        /// exceeds the limit for decoding in memory.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The file was overwritten or truncated after it had been opened.
        public static let changed = Code(kind: .changed)
        /// The file is Intel HEX text with an error in it.
        public static let malformedHex = Code(kind: .malformedHex)
        /// The file is an MCUboot image that no bootloader would boot.
        public static let malformedMCUboot = Code(kind: .malformedMCUboot)
        /// The file is a bundle that has been damaged or altered.
        public static let malformedBundle = Code(kind: .malformedBundle)
        /// The file is a damaged package for another vendor's update protocol.
        public static let malformedPackage = Code(kind: .malformedPackage)
        /// The file's extension promises a format, such as `.hex` or `.zip`, that its content
        /// does not have.
        public static let notAsNamed = Code(kind: .notAsNamed)
        /// The device's update protocol can't use a file of this kind.
        public static let unsuitable = Code(kind: .unsuitable)
        /// The file does not contain the requested region.
        public static let noSuchRegion = Code(kind: .noSuchRegion)
        /// A bundle can't be written to the given path.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// A recipient's key can't be used to seal the image.
        public static let unusableKey = Code(kind: .unusableKey)
        /// The manifest has no room for another signature.
        public static let tooManySignatures = Code(kind: .tooManySignatures)
        /// Options were given for a bundle, although its manifests already determine them.
        public static let alreadyDescribed = Code(kind: .alreadyDescribed)
        /// The system can't open, read or write the file for another reason.
        public static let io = Code(kind: .io)

        /// The name of the code as spelled in Swift, such as `malformedHex`.
        public var description: String { kind.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// The file as the user named it, with each control character replaced by a question mark.
    public let fileName: String
    /// The line of the error, counted from 1; `nil` unless the error is in one line of text.
    public let line: Int?
    /// One sentence that names the file, states the problem and suggests what to do.
    public let description: String

    package init(_ code: Code, fileName: String, line: Int? = nil, _ sentence: String) {
        self.code = code
        self.fileName = fileName
        self.line = line
        self.description = sentence
    }
}
