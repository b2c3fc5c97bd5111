import FleetModel
import FleetStore
import FleetText
import HTTPTypes
import Hummingbird

/// Why a request isn't answered with what it asks for.
struct Problem: Error {
    let status: HTTPResponse.Status
    let sentence: String
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    static func notFound(_ what: String) -> Problem { Problem(.notFound, "There is no \(what).") }

    func answer(to request: Request) -> Response {
        var answer =
            if request.isByProgram {
                Response(.object(["error": .text(sentence)]), status: status)
            } else {
                Response(
                    ProblemPage(title: status.reasonPhrase, sentence: sentence).html,
                    status: status
                )
            }
        for field in headers { answer.headers[field.name] = field.value }
        return answer
    }
}

extension Problem {
    static let tooManyTries: Problem = {
        var problem = Problem(
            .tooManyRequests,
            "Too many tries from this address. Wait \(LoginGuard.pause.milliseconds / 1_000) "
                + "seconds."
        )
        problem.headers[.retryAfter] = "\(LoginGuard.pause.milliseconds / 1_000)"
        return problem
    }()

    static let fromElsewhere = Problem(
        .forbidden,
        "This form is not from a page of this session. Load the page again."
    )

    init(_ error: FleetStoreError) {
        self.init(
            error.mayPass ? .serviceUnavailable : .badGateway,
            "The store didn’t do it: \(error.description)."
        )
    }
}
