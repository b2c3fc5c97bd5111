import Synchronization
import Testing

@testable import BLEOTA

/// Whose turn it is at a store.
@Suite("Turns at the store", .timeLimit(.minutes(1)))
struct StoreTurnsTests {
    /// A session whose standing a test sets.
    private final class Session: Sendable {
        let standing = Mutex(SessionStanding.waiting(byteCount: 0))
        let isAsked = Mutex(false)

        func claimant(of process: Int32?) -> StoreTurns.Claimant {
            StoreTurns.Claimant(
                process: process,
                standing: { self.standing.withLock { $0 } },
                makeWay: { self.isAsked.withLock { $0 = true } }
            )
        }
    }

    /// Which processes had the store, in their order.
    private final class Order: Sendable {
        let processes = Mutex<[Int32]>([])
    }

    private let turns = StoreTurns(patience: .milliseconds(30), waitLimit: .milliseconds(60))

    @Test("A free store is had at once; the next gets it when it is given back")
    func handsOver() async throws {
        let first = try #require(await turns.take(Session().claimant(of: 1)))
        async let second = turns.take(Session().claimant(of: 2))
        turns.giveBack(first)
        let ticket = try #require(await second)
        // A turn that is over takes nothing from the present one.
        turns.giveBack(first)
        #expect(await turns.take(Session().claimant(of: 3)) == nil)
        turns.giveBack(ticket)
        #expect(await turns.take(Session().claimant(of: 3)) != nil)
    }

    @Test("Who brings nothing is asked to make way, once somebody waits")
    func asked() async throws {
        let slow = Session()
        let ticket = try #require(await turns.take(slow.claimant(of: 1)))
        #expect(!slow.isAsked.withLock { $0 })
        async let next = turns.take(Session().claimant(of: 2))
        while !slow.isAsked.withLock({ $0 }) { await Task.yield() }
        turns.giveBack(ticket)
        #expect(await next != nil)
    }

    @Test("Who waits for a look-up keeps the turn; the other is told after a while")
    func keptWhileLookingUp() async throws {
        let busy = Session()
        busy.standing.withLock { $0 = .working }
        _ = try #require(await turns.take(busy.claimant(of: 1)))
        #expect(await turns.take(Session().claimant(of: 2)) == nil)
        #expect(!busy.isAsked.withLock { $0 })
    }

    /// Two peers that sent at full speed, and opened again at once, kept all others out.
    @Test(
        "A peer that brings enough makes way all the same when it has had its share",
        arguments: [(7, false, true), (7, true, false), (nil, false, false)]
            as [(Int32?, Bool, Bool)]
    )
    func share(process: Int32?, isTrusted: Bool, makesWay: Bool) async throws {
        let turns = StoreTurns(patience: .milliseconds(100), waitLimit: .milliseconds(300))
        let fast = Session()
        let ticket = try #require(await turns.take(fast.claimant(of: process)))
        turns.note(isTrusted ? .trusted : .accepted, of: ticket)
        let bringing = Task {
            var byteCount = 0
            while !Task.isCancelled {
                byteCount += 4_096
                fast.standing.withLock { [byteCount] in $0 = .waiting(byteCount: byteCount) }
                await Task.yield()
            }
        }
        #expect(await turns.take(Session().claimant(of: 8)) == nil)
        #expect(fast.isAsked.withLock { $0 } == makesWay)
        bringing.cancel()
    }

    @Test("The next turn is for the process that has had one least recently")
    func fairness() async throws {
        let first = try #require(await turns.take(Session().claimant(of: 1)))
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            for (number, process) in ([1, 1, 1, 2] as [Int32]).enumerated() {
                group.addTask { [turns] in
                    let claimant = Session().claimant(of: process)
                    guard let ticket = await turns.take(claimant) else { return }
                    order.processes.withLock { $0.append(process) }
                    turns.giveBack(ticket)
                }
                // They come in this order.
                while turns.waiterCount <= number { await Task.yield() }
            }
            turns.giveBack(first)
        }
        #expect(order.processes.withLock { $0 } == [2, 1, 1, 1])
    }

    /// The link was closed to make room, and kept its place until the wait was over.
    @Test("A session whose link is gone waits for no turn any more, and keeps none")
    func stopsWaiting() async throws {
        let turns = StoreTurns(patience: .seconds(30))
        let ticket = try #require(await turns.take(Session().claimant(of: 1)))
        let turn = StoreTurn(turns, Session().claimant(of: 2))
        async let waiting = turn.take()
        await Task.yield()
        turn.stopWaiting()
        #expect(await waiting == false)
        #expect(await turn.take() == false)
        #expect(!turn.isTaken)
        turns.giveBack(ticket)
        #expect(await turns.take(Session().claimant(of: 3)) != nil)
    }
}

extension StoreTurns {
    /// Waits with a ticket of its own.
    fileprivate func take(_ claimant: Claimant) async -> Ticket? {
        let ticket = draw()
        return await take(ticket, for: claimant) ? ticket : nil
    }
}
