import Glibc
import SystemPackage

/// Calls for a UDP socket. An address is the bytes of a `sockaddr`.
extension FileDescriptor {
    /// Takes a datagram that has arrived.
    ///
    /// - Parameter byteCountMax: the number of bytes to read at most; the rest is cut off.
    /// - Returns: `nil` if no datagram is there.
    func receiveDatagram(byteCountMax: Int) -> (bytes: [UInt8], sender: [UInt8])? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                recvfrom(rawValue, &bytes, bytes.count, 0, sender, &length)
            }
        }
        guard count >= 0 else { return nil }
        bytes.removeLast(bytes.count - count)
        return (bytes, withUnsafeBytes(of: storage) { Array($0.prefix(Int(length))) })
    }

    /// - Returns: the error of the system; `nil` if the datagram was sent.
    func sendDatagram(_ bytes: [UInt8], to address: [UInt8]) -> Errno? {
        let count = address.withUnsafeBytes { address in
            sendto(
                rawValue,
                bytes,
                bytes.count,
                Int32(MSG_NOSIGNAL),
                address.bindMemory(to: sockaddr.self).baseAddress,
                socklen_t(address.count)
            )
        }
        return count >= 0 ? nil : Errno(rawValue: errno)
    }
}
