import CoreMetrics
import FleetMetrics
import HTTPTypes
import Hummingbird

/// The pages that begin and end a session.
struct LoginRoutes {
    let door: Door
    let metrics: MetricsRegistry
    let isBehindTLS: Bool

    func add(to router: Router<ConsoleContext>) {
        router.get("login") { _, _ in Response(LoginPage(problem: nil).html) }
        router.post("login") { request, context in try await logIn(request, context) }
        router.post("logout") { request, _ in try await logOut(request) }
    }

    private func logIn(_ request: Request, _ context: ConsoleContext) async throws -> Response {
        guard !request.isFromElsewhere else { throw Problem.fromElsewhere }
        let token = try await request.form()["token"] ?? ""
        do throws(Door.Refusal) {
            let address = request.address(context, isBehindTLS: isBehindTLS)
            let id = try await door.logIn(token, from: address)
            metrics.counter(.consoleLogins, "accepted").increment()
            var answer = Response.seeOther("/")
            answer.headers[.setCookie] = cookie(id.text, "")
            return answer
        } catch {
            switch error {
            case .wrongToken:
                metrics.counter(.consoleLogins, "refused").increment()
                let page = LoginPage(problem: "That is not the token.")
                return Response(page.html, status: .forbidden)
            case .tooManyTries:
                metrics.counter(.consoleLogins, "limited").increment()
                let problem = Problem.tooManyTries
                var answer = Response(
                    LoginPage(problem: "\(problem.sentence)").html,
                    status: problem.status
                )
                answer.headers[.retryAfter] = problem.headers[.retryAfter]
                return answer
            }
        }
    }

    private func logOut(_ request: Request) async throws -> Response {
        if let id = request.sessionID, let session = await door.session(id) {
            try await session.require(request)
            await door.logOut(id)
        }
        var answer = Response.seeOther("/login")
        answer.headers[.setCookie] = cookie("", "; Max-Age=0")
        return answer
    }

    /// Scripts can't read it, and the browser sends it with no request of another site's page.
    private func cookie(_ value: String, _ end: String) -> String {
        let secure = isBehindTLS ? "; Secure" : ""
        return "\(RequireSession.cookie)=\(value); Path=/; HttpOnly; SameSite=Strict\(secure)\(end)"
    }
}

extension Sessions.Session {
    /// Throws unless a request comes from a form of this session's pages.
    func require(_ request: Request) async throws {
        let text = try await request.form()["secret"] ?? ""
        guard !request.isFromElsewhere, let secret = Secret(text), secret.matches(formSecret) else {
            throw Problem.fromElsewhere
        }
    }
}
