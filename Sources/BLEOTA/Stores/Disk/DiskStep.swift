import SystemPackage

/// One system call that changes the disk or makes a change durable.
enum DiskStep: Hashable, Sendable {
    case makeDirectory(FilePath)
    /// Creates an empty file at a path where none exists.
    case createFile(FilePath)
    /// Gives a new file its final length. Parts that are not written yet read as zeros.
    case setLength(FilePath, byteCount: Int)
    /// Reserves space for part of the file within its length.
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

/// Called with each step before it is performed. The hook may throw to make the step fail, as a
/// disk would.
///
/// The hook is meant for tests. Stores change the disk in no other way, so a test can enumerate the
/// data that survives a crash at every step.
typealias StepHook = @Sendable (DiskStep) throws(Errno) -> Void
