import Glibc
import Hummingbird
import Logging
import NIOCore

/// Why a server ended by itself.
package enum WebServerError: Error, Sendable, CustomStringConvertible {
    /// The address is in use, isn't one of this machine, or needs other rights.
    case listen(ListenAddress, reason: String, isForbidden: Bool)
    case failed(String)

    package var description: String {
        switch self {
        case .listen(let address, let reason, _): "\(address) can't be listened on: \(reason)"
        case .failed(let why): "the web server failed: \(why)"
        }
    }
}

/// Serves HTTP with Hummingbird, with limits.
enum WebServer {
    /// The connections at once. A browser opens six; a full table makes others wait.
    static let connectionsMax = 256
    /// A connection on which nothing was asked for so long is closed.
    static let idleLimit = TimeAmount.seconds(60)
    /// The bytes of a request's header: a cookie has 100, a query some hundred.
    static let headerByteCountMax = 16 << 10

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: called with the address once it listens.
    static func run(
        _ responder: some HTTPResponder<ConsoleContext>,
        at address: ListenAddress,
        ready: @escaping @Sendable (ListenAddress) -> Void
    ) async throws(WebServerError) {
        // What the server logs is about single connections: nothing for an operator.
        let logger = Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    idleTimeout: idleLimit,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: headerByteCountMax,
                        maxHeaderListSize: headerByteCountMax,
                        maxHeaderFieldCount: 64
                    )
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: Int(address.port)),
                availableConnectionsDelegate: .maximum(connectionsMax, logger: logger)
            ),
            onServerRunning: { channel in
                let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) }
                ready(ListenAddress(address.host, port ?? address.port))
            },
            logger: logger
        )
        do { try await application.run() } catch {
            guard !Task.isCancelled else { return }
            if let error = error as? IOError {
                let isForbidden = [EACCES, EPERM].contains(error.errnoCode)
                let reason = String(cString: strerror(error.errnoCode))
                throw .listen(address, reason: reason, isForbidden: isForbidden)
            }
            if error is SocketAddressError {
                throw .listen(address, reason: "no such host", isForbidden: false)
            }
            throw .failed("\(error)")
        }
    }
}
