/// Why a file or some bytes cannot be sent as a firmware image.
///
/// The fault is always in the file, its place or its permissions, never in the link or the device.
public struct FirmwareError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Codes may be added, so a switch over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case missing, isDirectory, notRegularFile, unreadable, empty, tooLarge, changed
            case malformedHex, malformedMCUboot, malformedBundle, noSuchRegion, cannotWrite
            case unusableKey, tooManySignatures, alreadyDescribed, io
        }

        private let kind: Kind

        /// Nothing has this path.
        public static let missing = Code(kind: .missing)
        /// The path names a directory.
        public static let isDirectory = Code(kind: .isDirectory)
        /// The path names a pipe, a device or a socket.
        public static let notRegularFile = Code(kind: .notRegularFile)
        /// The user may not read the file.
        public static let unreadable = Code(kind: .unreadable)
        /// There is not a single byte.
        public static let empty = Code(kind: .empty)
        /// The image is larger than the protocol carries, or its text larger than is held in
        /// memory.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The file was written or cut after it had been opened.
        public static let changed = Code(kind: .changed)
        /// The file is Intel HEX, with a mistake in it.
        public static let malformedHex = Code(kind: .malformedHex)
        /// The file is an MCUboot image that no bootloader would start.
        public static let malformedMCUboot = Code(kind: .malformedMCUboot)
        /// The file is a bundle that was damaged or changed.
        public static let malformedBundle = Code(kind: .malformedBundle)
        /// The region asked for is not in the file.
        public static let noSuchRegion = Code(kind: .noSuchRegion)
        /// A bundle can't be written where it was to be.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// A key for which it is to be sealed is none.
        public static let unusableKey = Code(kind: .unusableKey)
        /// A manifest has no room for one more signature.
        public static let tooManySignatures = Code(kind: .tooManySignatures)
        /// The file is a bundle, which says itself what the image is for.
        public static let alreadyDescribed = Code(kind: .alreadyDescribed)
        /// The system refused to open or read the file, for another reason.
        public static let io = Code(kind: .io)

        /// The name of the code as it is written in Swift, such as `malformedHex`.
        public var description: String { kind.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// The file, as the user named it, with control characters made visible.
    public let fileName: String
    /// The line of the text, counted from 1, where the mistake is in one line.
    public let line: Int?
    /// One sentence that names the file, says what happened and what to do next.
    public let description: String

    init(_ code: Code, fileName: String, line: Int? = nil, _ sentence: String) {
        self.code = code
        self.fileName = fileName
        self.line = line
        self.description = sentence
    }
}
