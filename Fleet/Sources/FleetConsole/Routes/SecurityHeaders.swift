import HTTPTypes
import Hummingbird

/// Gives every answer the headers that keep a browser from doing more than the console needs, and
/// makes pages of errors.
struct SecurityHeaders: RouterMiddleware {
    /// Nothing but the console's own files runs, and nobody puts it into a frame.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    private static let fields: HTTPFields = {
        var fields = HTTPFields()
        fields[.contentSecurityPolicy] = policy
        fields[.xContentTypeOptions] = "nosniff"
        // With "no-referrer", forms would say that they come from nowhere.
        fields[HTTPField.Name("Referrer-Policy")!] = "same-origin"
        fields[HTTPField.Name("Cross-Origin-Opener-Policy")!] = "same-origin"
        fields[HTTPField.Name("Cross-Origin-Resource-Policy")!] = "same-origin"
        fields[HTTPField.Name("X-Frame-Options")!] = "DENY"
        fields[HTTPField.Name("Permissions-Policy")!] = "camera=(), geolocation=(), microphone=()"
        return fields
    }()

    func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        var answer: Response
        do {
            answer = try await next(request, context)
        } catch let problem as Problem {
            answer = problem.answer(to: request)
        } catch let error as HTTPError {
            answer = Problem(error.status, error.body ?? error.status.reasonPhrase)
                .answer(to: request)
        } catch {
            answer = Problem(.internalServerError, "The console failed: \(error).")
                .answer(to: request)
        }
        for field in Self.fields { answer.headers[field.name] = field.value }
        if answer.headers[.cacheControl] == nil { answer.headers[.cacheControl] = "no-store" }
        return answer
    }
}
