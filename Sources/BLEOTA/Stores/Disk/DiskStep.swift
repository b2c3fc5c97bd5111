import SystemPackage

/// One system call that changes the disk or makes a change durable.
enum DiskStep: Hashable, Sendable {
    case makeDirectory(FilePath)
    /// A new, empty file; it did not exist.
    case createFile(FilePath)
    /// Gives a new file its whole length; it reads as zeros where nothing is written.
    case setLength(FilePath, byteCount: Int)
    /// Takes room for a part of the file, which is within its length.
    case reserve(FilePath, Range<Int>)
    case write(FilePath, byteOffset: Int, bytes: [UInt8])
    /// Makes the content and length of a file durable.
    case synchronize(FilePath)
    /// Makes the names in a directory durable.
    case synchronizeDirectory(FilePath)
    case rename(FilePath, to: FilePath)
    case makeLink(FilePath, target: FilePath)
    case removeFile(FilePath)
    case removeDirectory(FilePath)
    case setMode(FilePath, mode: UInt32)
}

/// Is told of each step before it is made, and can make it fail by throwing, as a disk would.
///
/// For tests: what survives a crash at every step can be enumerated, since no store changes the
/// disk in any other way.
typealias StepHook = @Sendable (DiskStep) throws(Errno) -> Void
