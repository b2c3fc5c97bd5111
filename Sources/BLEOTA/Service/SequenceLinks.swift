/// Links from an asynchronous sequence of transports.
///
/// One task reads the sequence, because its iterator must not be shared, and puts the links into a
/// queue for the service.
final class SequenceLinks: LinkSource {
    let place: String
    let limits = ServiceLimits()

    private let links: AsyncThrowingStream<any Transport, any Error>
    private let reader: Task<Void, Never>

    /// - Parameter link: returns the link in an element of the sequence.
    init<Links: AsyncSequence & Sendable>(
        _ base: Links,
        place: String,
        _ link: @escaping @Sendable (Links.Element) -> any Transport
    ) {
        self.place = place
        let (links, continuation) = AsyncThrowingStream<any Transport, any Error>.makeStream()
        self.links = links
        reader = Task { @concurrent in
            do {
                for try await element in base { continuation.yield(link(element)) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    func next() async throws(TransferError) -> Guest {
        var iterator = links.makeAsyncIterator()
        do {
            guard let link = try await iterator.next() else { throw TransferError(.cancelled) }
            return Guest(link, name: place)
        } catch let error as TransferError {
            throw error
        } catch {
            throw TransferError(.cannotConnect("The sequence of links ended: \(error)."))
        }
    }

    func end() { reader.cancel() }
}
