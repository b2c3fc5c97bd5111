import Glibc

/// A descriptor, closed when the last reference goes.
final class FileDescriptorOwner: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}
