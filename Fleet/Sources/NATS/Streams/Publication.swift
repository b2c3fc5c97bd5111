/// A message to be stored in a stream.
struct Publication: Sendable {
    let subject: String
    let payload: [UInt8]
    var headers: [(name: String, value: String)] = []
    var id: MessageID?
    var expectation = PublishExpectation.anything
}
