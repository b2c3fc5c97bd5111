import Hummingbird
import NIOCore

/// What is known of a request besides what it says.
struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection.
    let peer: String
    /// The session of its cookie, once it was found.
    var session: (id: Secret, session: Sessions.Session)?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }
}
