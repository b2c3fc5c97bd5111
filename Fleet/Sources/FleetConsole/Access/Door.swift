import FleetModel
import FleetStore

/// Lets in whoever knows the token: people with a session, programs with the token itself.
actor Door {
    enum Refusal: Error {
        case wrongToken
        case tooManyTries
    }

    private let token: Secret
    private var sessions = Sessions()
    private var tries = LoginGuard()

    init(_ token: Secret) { self.token = token }

    var sessionCount: Int { sessions.count }

    /// Begins a session, and returns what its cookie holds.
    func logIn(_ text: String, from address: String) throws(Refusal) -> Secret {
        try check(text, from: address)
        let id = Secret.random()
        sessions.begin(id, .random(), at: SystemTime.uptime)
        return id
    }

    /// Throws unless `text` is the token.
    func check(_ text: String, from address: String) throws(Refusal) {
        guard tries.mayTry(address, at: SystemTime.uptime) else { throw .tooManyTries }
        guard let secret = Secret(text), secret.matches(token) else { throw .wrongToken }
        tries.succeeded(address)
    }

    func logOut(_ id: Secret) { sessions.end(id) }

    func session(_ id: Secret) -> Sessions.Session? { sessions.session(id, at: SystemTime.uptime) }
}
