import Glibc

/// A file descriptor that is closed with the last reference to its owner.
final class FileDescriptorOwner: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}
