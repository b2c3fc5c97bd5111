import Foundation
import Glibc
import Synchronization

/// The network between a process and a server, which a test breaks: it carries TCP connections.
package final class Relay: Sendable {
    package enum Mode: Sendable {
        /// Carries.
        case open
        /// Carries nothing, and tells nobody, as a router does that has lost its power.
        case stalled
        /// Ends all connections, and each new one.
        case cut
        /// Carries new connections only. Those that were there are stalled for ever, as behind a
        /// router that has forgotten them.
        case forgetful
    }

    private final class Link: Sendable {
        let ends: [Int32]
        let isForgotten = Mutex(false)

        init(_ peer: Int32, _ server: Int32) { ends = [peer, server] }
        deinit { for end in ends { close(end) } }

        func end() { for end in ends { shutdown(end, Int32(SHUT_RDWR)) } }
    }

    private struct State {
        var mode = Mode.open
        var isOver = false
        var links: [ObjectIdentifier: Link] = [:]
    }

    /// Where it listens, on this machine.
    package let port: UInt16
    private let server: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let news = NSCondition()

    /// Begins to carry to a port of this machine.
    package init(to server: UInt16) throws {
        self.server = server
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        guard Self.withAddress(0, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0,
            let port = Self.port(of: listener)
        else { throw ChildProcess.Failure(description: "no port for a relay") }
        self.port = port
        Thread.detachNewThread { [weak self] in
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 || errno == EINTR || errno == ECONNABORTED else { break }
                guard let self else { break }
                if peer >= 0 { carry(peer) }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        for link in state.withLock({ $0.links }).values { link.end() }
    }

    /// Ends all connections, and listens no more.
    package func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        change { $0.isOver = true }
        for link in state.withLock({ $0.links }).values { link.end() }
    }

    package func set(_ mode: Mode) {
        change { $0.mode = mode }
        let links = state.withLock { $0.links }.values
        if mode == .cut { for link in links { link.end() } }
        if mode == .forgetful { for link in links { link.isForgotten.withLock { $0 = true } } }
    }

    private func change(_ body: (inout State) -> Void) {
        news.lock()
        state.withLock { body(&$0) }
        news.broadcast()
        news.unlock()
    }

    private func carry(_ peer: Int32) {
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        let out = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let link = Link(peer, out)
        guard state.withLock({ $0.mode != .cut && !$0.isOver }),
            Self.withAddress(server, { connect(out, $0, $1) }) == 0
        else { return }
        state.withLock { $0.links[ObjectIdentifier(link)] = link }
        for (from, to) in [(peer, out), (out, peer)] {
            // Small messages are not held back for others.
            var isOn: Int32 = 1
            setsockopt(
                to,
                Int32(IPPROTO_TCP),
                TCP_NODELAY,
                &isOn,
                socklen_t(MemoryLayout<Int32>.size)
            )
            Thread.detachNewThread { self.carry(link, from, to) }
        }
    }

    private func carry(_ link: Link, _ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, waitUntilOpen(link) else { break }
            var sent = 0
            while sent < count {
                let part = buffer.withUnsafeBytes {
                    send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { break }
                sent += part
            }
            guard sent == count else { break }
        }
        link.end()
        _ = state.withLock { $0.links.removeValue(forKey: ObjectIdentifier(link)) }
    }

    /// - Returns: whether there is still anything to carry.
    private func waitUntilOpen(_ link: Link) -> Bool {
        news.lock()
        defer { news.unlock() }
        while true {
            let (mode, isOver) = state.withLock { ($0.mode, $0.isOver) }
            if isOver || mode == .cut { return false }
            if mode != .stalled, !link.isForgotten.withLock({ $0 }) { return true }
            news.wait()
        }
    }

    private static func port(of socket: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func withAddress(
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
