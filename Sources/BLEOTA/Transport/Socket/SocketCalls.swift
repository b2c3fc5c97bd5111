import Glibc
package import SystemPackage

/// The system calls for links over Unix sockets. They return failures as values.
package enum SocketCalls {
    enum SendOutcome: Sendable, Hashable {
        case sent
        /// The socket buffer is full: wait for POLLOUT.
        case full
        /// The peer no longer reads.
        case peerGone
        case failed(Errno)
    }

    enum ReceiveOutcome: Sendable, Hashable {
        /// The length of the datagram, which may exceed that of the buffer.
        case received(byteCount: Int)
        case nothingThere
        /// End of file, or an empty datagram: the call does not distinguish them.
        case nothingOrEnd
        case peerGone
        case failed(Errno)
    }

    package static var lastErrno: Errno { Errno(rawValue: errno) }

    /// Creates a socket that never blocks and isn't inherited. By default it is of a type that
    /// preserves the boundaries and the order of datagrams.
    static func makeSocket(
        _ kind: __socket_type = SOCK_SEQPACKET
    ) throws(SocketError) -> Int32 {
        let type = kind.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        if descriptor < 0 { throw .system(call: "socket", lastErrno) }
        return descriptor
    }

    package static func setNonBlockingAndCloseOnExec(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0
            && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
            && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Whether the system ran short of a resource that may be available again in a moment: memory,
    /// or descriptors of this process or of the whole system.
    static func isShortage(_ errno: Errno) -> Bool {
        switch errno {
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory: true
        default: false
        }
    }

    /// The process at the other end of a connected socket; `nil` if it is unknown.
    static func peerProcess(of descriptor: Int32) -> Int32? {
        // struct ucred: process, user and group, 32 bits each.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var byteCount = socklen_t(MemoryLayout.size(ofValue: credentials))
        let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &byteCount)
        return result == 0 && credentials.process > 0 ? credentials.process : nil
    }

    /// Passes one datagram to the kernel. Never blocks and never raises SIGPIPE.
    static func send(_ kind: UInt8, _ payload: [UInt8], to descriptor: Int32) -> SendOutcome {
        var kind = kind
        return withUnsafeMutableBytes(of: &kind) { head in
            payload.withUnsafeBytes { body in
                var parts = (
                    iovec(iov_base: head.baseAddress, iov_len: 1),
                    iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress),
                        iov_len: body.count
                    )
                )
                return withUnsafeMutablePointer(to: &parts) { parts in
                    parts.withMemoryRebound(to: iovec.self, capacity: 2) { parts in
                        var message = msghdr()
                        message.msg_iov = parts
                        message.msg_iovlen = body.isEmpty ? 1 : 2
                        return send(&message, to: descriptor)
                    }
                }
            }
        }
    }

    /// Passes one datagram to the kernel, as above.
    static func send(_ datagram: [UInt8], to descriptor: Int32) -> SendOutcome {
        datagram.withUnsafeBytes { bytes in
            var part = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                iov_len: bytes.count
            )
            return withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                return send(&message, to: descriptor)
            }
        }
    }

    private static func send(_ message: inout msghdr, to descriptor: Int32) -> SendOutcome {
        while true {
            if sendmsg(descriptor, &message, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0 {
                return .sent
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .full
            case EPIPE, ECONNRESET, ENOTCONN: return .peerGone
            default: return .failed(lastErrno)
            }
        }
    }

    /// Takes one datagram from the kernel. Never blocks.
    static func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        from descriptor: Int32
    ) -> ReceiveOutcome {
        while true {
            let byteCount = recv(
                descriptor,
                buffer.baseAddress,
                buffer.count,
                Int32(MSG_DONTWAIT | MSG_TRUNC)
            )
            if byteCount > 0 { return .received(byteCount: byteCount) }
            if byteCount == 0 { return .nothingOrEnd }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothingThere
            case ECONNRESET, EPIPE, ENOTCONN: return .peerGone
            default: return .failed(lastErrno)
            }
        }
    }

    /// Whether the peer has closed its end, even if there is still data to read.
    static func hasHungUp(_ descriptor: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0 && Int32(poll.revents) & (POLLHUP | POLLERR) != 0
    }
}
