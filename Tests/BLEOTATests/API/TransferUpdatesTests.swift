import Testing

@testable import BLEOTA

/// The sequence of what a transfer reports.
@Suite("Sequence of updates", .timeLimit(.minutes(1)))
struct TransferUpdatesTests {
    private typealias Updates = TransferUpdates<Int, TransferError>

    /// What is left after a reader took the first element, -1, and was then slow.
    private func leftOver(
        _ yield: @escaping @Sendable (UpdateSink<Int>) -> Void
    ) async throws -> [Int] {
        let taken = Tally()
        let done = Tally()
        let updates = Updates { sink in
            sink.yield(-1)
            await taken.reaches(1)
            yield(sink)
            await done.add()
            return .success(())
        }
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next() == -1)
        await taken.add()
        await done.reaches(1)
        var elements: [Int] = []
        while let element = try await iterator.next() { elements.append(element) }
        return elements
    }

    @Test("Of more elements than may wait, the oldest give way")
    func limit() async throws {
        let left = try await leftOver { sink in
            for number in 0..<Updates.bufferedCountMax * 2 { sink.yield(number) }
        }
        #expect(left == Array(Updates.bufferedCountMax..<Updates.bufferedCountMax * 2))
    }

    @Test("Progress gives way to newer progress of the same peer, and to nothing else")
    func replacement() async throws {
        let left = try await leftOver { sink in
            for number in 0..<5 { sink.yield(number, replacing: "a") }
            sink.yield(10)
            for number in 20..<25 { sink.yield(number, replacing: "a") }
            sink.yield(30, replacing: "b")
        }
        #expect(left == [4, 10, 24, 30])
    }

    @Test("A transfer begins with its first element, and throws its error once")
    func failure() async throws {
        let begun = Tally()
        let updates = Updates { sink in
            await begun.add()
            sink.yield(1)
            return .failure(TransferError(.silent))
        }
        var iterator = updates.makeAsyncIterator()
        #expect(await begun.count == 0)
        #expect(try await iterator.next() == 1)
        do throws(TransferError) {
            _ = try await iterator.next()
            Issue.record("it has to throw")
        } catch {
            #expect(error.code == .silent)
        }
        #expect(try await iterator.next() == nil)
        #expect(await begun.count == 1)
    }
}
