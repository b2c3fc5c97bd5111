import Glibc
import SystemPackage

/// A directory that goes with all that is in it.
final class TemporaryDirectory: Sendable {
    let path: FilePath

    /// - Parameter isInMemory: whether it should be where synchronising costs nothing, for tests
    ///   that make thousands of states.
    init(isInMemory: Bool = false) {
        let base = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(base)/bleota-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard mkdtemp(buffer.baseAddress!) != nil else { fatalError("no temporary directory") }
            return FilePath(platformString: buffer.baseAddress!)
        }
    }

    deinit { FileTree.remove(path) }
}
