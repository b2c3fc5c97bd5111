import Foundation
import Synchronization

/// Two serial lines, and a cable between them that can be pulled out.
package final class SerialCable: Sendable {
    private let isPlugged = Mutex(true)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Puts a device at each of the paths.
    ///
    /// - Parameter damage: after how many bytes the next is damaged, drawn anew each time.
    package init(
        between paths: (String, String),
        damagedEvery damage: ClosedRange<Int>? = nil,
        seed: UInt64 = 0
    ) {
        let lines = [SerialLine(), SerialLine()]
        for (line, path) in zip(lines, [paths.0, paths.1]) {
            line.makeRaw()
            precondition(symlink(line.path, path) == 0, "no link at \(path)")
        }
        Thread.detachNewThread { [self] in
            var ways = [
                Way(from: lines[0], to: lines[1], damage, seed),
                Way(from: lines[1], to: lines[0], damage, seed &+ 1),
            ]
            while isPlugged.withLock(\.self) { Self.carry(&ways) }
            // The next pseudo-terminal may have the same number.
            for path in [paths.0, paths.1] { unlink(path) }
            for line in lines { line.unplug() }
            hasEnded.signal()
        }
    }

    deinit { isPlugged.withLock { $0 = false } }

    /// Takes both devices away, as far as processes that have them open can tell.
    package func unplug() {
        let wasPlugged = isPlugged.withLock { isPlugged in
            defer { isPlugged = false }
            return isPlugged
        }
        if wasPlugged { hasEnded.wait() }
    }

    /// One direction: no more is read than the other end has taken, so that nothing is lost.
    private struct Way {
        let source: SerialLine
        let sink: SerialLine
        private let damage: ClosedRange<Int>?
        private var random: TestSeed
        private var undamaged = 0
        var pending: ArraySlice<UInt8> = []

        init(
            from source: SerialLine,
            to sink: SerialLine,
            _ damage: ClosedRange<Int>?,
            _ seed: UInt64
        ) {
            self.source = source
            self.sink = sink
            self.damage = damage
            random = TestSeed(seed)
            undamaged = damage.map { Int.random(in: $0, using: &random) } ?? .max
        }

        mutating func carry() {
            if pending.isEmpty {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = read(source.far, &buffer, buffer.count)
                if count <= 0 { return }
                pending = buffer[..<count]
                inflict()
            }
            let count = pending.withUnsafeBytes { write(sink.far, $0.baseAddress, $0.count) }
            if count > 0 { pending.removeFirst(count) }
        }

        private mutating func inflict() {
            guard let damage else { return }
            var index = pending.startIndex + undamaged
            while index < pending.endIndex {
                pending[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                index += 1 + Int.random(in: damage, using: &random)
            }
            undamaged = index - pending.endIndex
        }
    }

    private static func carry(_ ways: inout [Way]) {
        var polled = ways.map { way in
            way.pending.isEmpty
                ? pollfd(fd: way.source.far, events: Int16(POLLIN), revents: 0)
                : pollfd(fd: way.sink.far, events: Int16(POLLOUT), revents: 0)
        }
        // As long as somebody who pulls it out waits at most.
        _ = poll(&polled, nfds_t(polled.count), 20)
        for index in ways.indices { ways[index].carry() }
    }
}
