import Glibc
import Synchronization

/// Wakes an I/O thread from `poll`. It is a pipe because eventfd is not visible from Swift without
/// a C shim.
///
/// Any thread may call ``wake()``, even after the I/O thread has ended. Only the I/O thread may
/// call ``wait(for:milliseconds:)`` and ``close()``.
final class WakePipe: Sendable {
    private struct State {
        var isOpen = true
        /// Whether there is a byte in the pipe. One is enough until it is read.
        var isSignalled = false
    }

    private let readEnd: Int32
    private let writeEnd: Int32
    private let state = Mutex(State())

    init() throws(SocketError) {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { throw .system(call: "pipe", SocketCalls.lastErrno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends where !SocketCalls.setNonBlockingAndCloseOnExec(end) {
            let errno = SocketCalls.lastErrno
            close()
            throw .system(call: "fcntl", errno)
        }
    }

    deinit { close() }

    func wake() {
        state.withLock { state in
            if !state.isOpen || state.isSignalled { return }
            state.isSignalled = true
            var byte: UInt8 = 1
            // An empty pipe has room for a byte, and an interrupted write leaves the pipe empty.
            while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
        }
    }

    /// Sleeps until `descriptor` is ready for one of `events`, ``wake()`` is called, or the time is
    /// up.
    ///
    /// - Parameter milliseconds: the maximum time to sleep; negative for no limit.
    /// - Returns: the events that `poll` reports for `descriptor`; 0 after a wake-up, a signal or a
    ///   timeout.
    func wait(for descriptor: Int32, events: Int32, milliseconds: Int32) -> Int32 {
        var polled = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        wait(for: &polled, milliseconds: milliseconds)
        return Int32(polled[0].revents)
    }

    /// Sleeps in the same way for any number of descriptors, and stores the events of each in
    /// `polled`.
    func wait(for polled: inout [pollfd], milliseconds: Int32) {
        polled.append(pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0))
        let readyCount = poll(&polled, nfds_t(polled.count), milliseconds)
        let isWoken = polled.removeLast().revents != 0
        if readyCount > 0 {
            if isWoken { drain() }
            return
        }
        for index in polled.indices { polled[index].revents = 0 }
        // The system is short of memory, or doesn't allow that many descriptors. Either may change
        // in a moment.
        if readyCount < 0, errno != EINTR { usleep(Self.pauseMicroseconds) }
    }

    private static let pauseMicroseconds: UInt32 = 10_000

    private func drain() {
        state.withLock { state in
            var bytes: (UInt64, UInt64) = (0, 0)
            _ = read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes))
            state.isSignalled = false
        }
    }

    /// Closes both descriptors. Later wake-ups do nothing.
    func close() {
        state.withLock { state in
            if !state.isOpen { return }
            state.isOpen = false
            _ = Glibc.close(readEnd)
            _ = Glibc.close(writeEnd)
        }
    }
}
