import Dispatch
import Glibc
import SystemPackage

/// A thread that watches descriptors. It may block in `poll`, which a task must never do.
enum IOThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread that runs `body` once.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
        let argument = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            argument.toOpaque()
        )
        if result != 0 {
            argument.release()
            throw .system(call: "pthread_create", Errno(rawValue: result))
        }
        pthread_detach(thread)
    }

    /// Checks that the system grants this process `count` more threads at once. Otherwise the
    /// runtime's tasks and the signal handlers might wait for a thread forever.
    ///
    /// - Throws: ``SocketError/system(call:_:)`` if the system does not grant them.
    static func require(_ count: Int) throws(SocketError) {
        let gate = DispatchSemaphore(value: 0)
        var started = 0
        defer { for _ in 0..<started { gate.signal() } }
        for _ in 0..<count {
            try start { gate.wait() }
            started += 1
        }
    }
}
