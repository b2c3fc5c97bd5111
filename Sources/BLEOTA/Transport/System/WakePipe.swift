import Glibc
import Synchronization

/// A way to call an I/O thread out of `poll`. A pipe, because eventfd is not visible from Swift
/// without a C shim.
///
/// Any thread may call ``wake()``, also when the I/O thread has ended; the I/O thread alone calls
/// ``wait(for:milliseconds:)`` and ``close()``.
final class WakePipe: Sendable {
    private struct State {
        var isOpen = true
        /// One byte is enough until it was read.
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
            // A pipe that is empty takes a byte; an interrupted write left it empty.
            while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
        }
    }

    /// Sleeps until `descriptor` is ready for one of `events`, somebody calls ``wake()``, or the
    /// time is over.
    ///
    /// - Parameter milliseconds: how long; negative for no end.
    /// - Returns: what `poll` says about `descriptor`; 0 after a wake-up, a signal or the time.
    func wait(for descriptor: Int32, events: Int32, milliseconds: Int32) -> Int32 {
        var polled = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        wait(for: &polled, milliseconds: milliseconds)
        return Int32(polled[0].revents)
    }

    /// The same for any number of descriptors; what `poll` says of each is in it afterwards.
    func wait(for polled: inout [pollfd], milliseconds: Int32) {
        polled.append(pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0))
        let readyCount = poll(&polled, nfds_t(polled.count), milliseconds)
        let isWoken = polled.removeLast().revents != 0
        if readyCount > 0 {
            if isWoken { drain() }
            return
        }
        for index in polled.indices { polled[index].revents = 0 }
        // Short of memory, or of the right to watch so many: it may be better in a moment.
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

    /// Gives both descriptors back. Later wake-ups do nothing.
    func close() {
        state.withLock { state in
            if !state.isOpen { return }
            state.isOpen = false
            _ = Glibc.close(readEnd)
            _ = Glibc.close(writeEnd)
        }
    }
}
