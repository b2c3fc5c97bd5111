package import FleetModel
package import NATS

/// What a gateway claimed without a right to it, for people: a stream of sentences.
package struct AuditLog: Sendable {
    package static let stream = StreamName("fleet-audit")!

    let connection: NATSConnection

    /// Makes the stream. A gateway that floods it only loses the oldest sentences: 100,000 of up
    /// to 300 bytes are 30 MB.
    static func create(
        on connection: NATSConnection,
        replicas: ReplicaCount
    ) async throws(NATSError) {
        var configuration = StreamConfiguration(
            stream,
            subjects: [SubjectFilter("fleet.audit.*")!]
        )
        configuration.replicaCount = replicas
        configuration.messagesMax = 100_000
        configuration.byteCountMax = 64 << 20
        configuration.messageByteCountMax = 1_024
        configuration.isAppendOnly = true
        try await connection.createStream(configuration)
    }

    /// Adds a sentence about a gateway.
    package func add(
        _ sentence: String,
        about gateway: GatewayID
    ) async throws(FleetStoreError) {
        do {
            // A name is a token of up to 64 bytes.
            let subject = Subject("fleet.audit.\(gateway)")!
            _ = try await connection.store(Array(sentence.utf8), to: subject)
        } catch {
            throw .nats(error)
        }
    }
}
