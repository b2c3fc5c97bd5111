import Glibc

/// A file descriptor that is closed when the last reference to its owner is released.
final class FileDescriptorOwner: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}
