import HTTPTypes
import Hummingbird

/// Lets nobody past without a session; programs may bring the token along instead.
struct RequireSession: RouterMiddleware {
    static let cookie = "session"

    let door: Door
    let isBehindTLS: Bool

    func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        if let id = request.sessionID, let session = await door.session(id) {
            var context = context
            context.session = (id, session)
            return try await next(request, context)
        }
        guard request.isByProgram else { return .seeOther("/login") }
        guard let token = request.bearerToken, request.method == .get else {
            throw Self.refusal("Log in, or send the token: Authorization: Bearer …")
        }
        do {
            let address = request.address(context, isBehindTLS: isBehindTLS)
            try await door.check(token, from: address)
        } catch {
            throw error == .tooManyTries
                ? Problem.tooManyTries : Self.refusal("This is not the console's token.")
        }
        return try await next(request, context)
    }

    private static func refusal(_ sentence: String) -> Problem {
        var problem = Problem(.unauthorized, sentence)
        problem.headers[.wwwAuthenticate] = "Bearer"
        return problem
    }
}
