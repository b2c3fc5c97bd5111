import FleetTestSupport
import NATS
import Testing

@Suite(
    "Consumers",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(2))
)
struct ConsumerTests {
    private let server: TestServer
    private let connection: NATSConnection
    private let stream = streamName("jobs")

    init() async throws {
        server = try await TestServer()
        connection = try await server.connect()
        var configuration = StreamConfiguration(stream, subjects: [SubjectFilter("job.>")!])
        configuration.retention = .workQueue
        try await connection.createStream(configuration)
    }

    private func open(limit: Duration = .seconds(30)) async throws -> PullConsumer {
        var configuration = ConsumerConfiguration(consumerName("gateway"))
        configuration.acknowledgementLimit = limit
        return try await connection.openConsumer(configuration, of: stream)
    }

    private func store(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            _ = try await connection.store(bytes(number), to: subject("job.\(number)"))
        }
    }

    /// Fetches until as many messages have come.
    private func fetch(_ count: Int, of consumer: PullConsumer) async throws -> [PulledMessage] {
        var messages: [PulledMessage] = []
        try await eventually("\(count) messages") {
            let left = count - messages.count
            messages += try await consumer.fetch(left, within: .milliseconds(500))
            return messages.count == count
        }
        return messages
    }

    @Test("Messages come in their order, and one that is acknowledged doesn't come again")
    func acknowledged() async throws {
        let consumer = try await open()
        #expect(try await consumer.fetch(8, within: .milliseconds(50)).isEmpty)
        try await store(1...5)
        let messages = try await fetch(5, of: consumer)
        #expect(messages.map { number($0.payload) } == [1, 2, 3, 4, 5])
        #expect(messages.map(\.subject) == (1...5).map { "job.\($0)" })
        #expect(messages.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(messages.allSatisfy { $0.deliveryCount == 1 })
        for message in messages { try await message.acknowledge() }
        #expect(try await connection.state(of: stream).messageCount == 0)
        #expect(try await consumer.fetch(8, within: .milliseconds(50)).isEmpty)
    }

    @Test("What isn't acknowledged in time is delivered again, to whoever fetches")
    func redelivered() async throws {
        try await store(1...3)
        let consumer = try await open(limit: .milliseconds(400))
        let first = try await fetch(3, of: consumer)
        try await first[1].acknowledge()
        let other = try await open(limit: .milliseconds(400))
        let again = try await fetch(2, of: other)
        #expect(again.map { number($0.payload) } == [1, 3])
        #expect(again.allSatisfy { $0.deliveryCount == 2 })
        for message in again { try await message.acknowledge() }
        #expect(try await connection.state(of: stream).messageCount == 0)
    }

    @Test("A message that is extended isn't delivered again meanwhile")
    func extended() async throws {
        try await store(1...1)
        // On a busy machine, seconds can pass between two turns of the loop.
        let consumer = try await open(limit: .seconds(5))
        let message = try await fetch(1, of: consumer)[0]
        let end = ContinuousClock.now + .seconds(6)
        while ContinuousClock.now < end {
            try await message.extend()
            #expect(try await consumer.fetch(1, within: .milliseconds(200)).isEmpty)
        }
        try await message.acknowledge()
        #expect(try await connection.state(of: stream).messageCount == 0)
    }

    @Test("A message that is refused comes again after its pause, one that is given up never")
    func refused() async throws {
        try await store(1...2)
        let consumer = try await open()
        let messages = try await fetch(2, of: consumer)
        let start = ContinuousClock.now
        try await messages[0].refuse(after: .milliseconds(600))
        try await messages[1].giveUp()
        let again = try await fetch(1, of: consumer)[0]
        #expect(ContinuousClock.now - start >= .milliseconds(600))
        #expect(number(again.payload) == 1)
        #expect(again.deliveryCount == 2)
        try await again.acknowledge()
        try await eventually("both are gone") {
            try await connection.state(of: stream).messageCount == 0
        }
    }

    @Test("A message is settled once")
    func twice() async throws {
        try await store(1...1)
        let consumer = try await open()
        let message = try await fetch(1, of: consumer)[0]
        try await message.acknowledge()
        for settle in [PulledMessage.acknowledge, PulledMessage.giveUp, PulledMessage.extend] {
            let error = await #expect(throws: NATSError.self) { try await settle(message)() }
            #expect(error?.fault == .caller)
        }
    }

    @Test("Two who share a consumer share its messages, each of which one of them gets")
    func shared() async throws {
        try await store(1...60)
        let (first, second) = (try await open(), try await open())
        let numbers = try await withThrowingTaskGroup(of: [Int?].self) { group in
            for consumer in [first, second] {
                group.addTask {
                    var numbers: [Int?] = []
                    while case let messages = try await consumer.fetch(4, within: .seconds(1)),
                        !messages.isEmpty
                    {
                        for message in messages {
                            numbers.append(number(message.payload))
                            try await message.acknowledge()
                        }
                    }
                    return numbers
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(numbers.compactMap { $0 }.sorted() == Array(1...60))
    }

    @Test("A consumer can be changed, and keeps its progress")
    func changed() async throws {
        try await store(1...6)
        let consumer = try await open()
        try await fetch(1, of: consumer)[0].acknowledge()
        var smaller = ConsumerConfiguration(consumerName("gateway"))
        smaller.pendingMax = 2
        let other = try await connection.openConsumer(smaller, of: stream)
        let messages = try await fetch(2, of: other)
        #expect(messages.map { number($0.payload) } == [2, 3])
        #expect(try await consumer.fetch(2, within: .milliseconds(50)).isEmpty)
        try await messages[0].acknowledge()
        #expect(try await fetch(1, of: consumer).map { number($0.payload) } == [4])
    }

    @Test("There is no consumer of a stream that isn't there, and a fetch has limits")
    func refusals() async throws {
        let consumer = try await open()
        await #expect(throws: NATSError.notFound) {
            try await connection.openConsumer(
                ConsumerConfiguration(consumerName("gateway")),
                of: streamName("none")
            )
        }
        for count in [0, Limits.fetchMax + 1] {
            let error = await #expect(throws: NATSError.self) {
                try await consumer.fetch(count, within: .seconds(1))
            }
            #expect(error?.fault == .caller)
        }
        try await connection.deleteConsumer(consumerName("gateway"), of: stream)
        await #expect(throws: NATSError.notFound) {
            try await connection.deleteConsumer(consumerName("gateway"), of: stream)
        }
    }
}
