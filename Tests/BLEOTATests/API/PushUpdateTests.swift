import Testing

@testable import BLEOTA

/// What a push reports, and how it is stopped.
@Suite("Updates of a push", .timeLimit(.minutes(2)))
struct PushUpdateTests {
    private let image = RandomImage(seed: 71, byteCount: 400_000)

    private func updates(of target: Target) async throws -> [PushUpdate] {
        var updates: [PushUpdate] = []
        for try await update in image.prepared.pushing(to: target) { updates.append(update) }
        return updates
    }

    @Test("Connected comes first, progress never falls, and verified comes after the last byte")
    func order() async throws {
        let device = try await ServedSocket()
        let updates = try await updates(of: device.slowTarget)
        guard case .connected(attMTU: 517) = updates.first, case .verified = updates.last else {
            Issue.record("\(updates)")
            return
        }
        let fractions = updates.compactMap { update -> Double? in
            if case .progress(let progress) = update { progress.fractionStored } else { nil }
        }
        #expect(fractions.count == updates.count - 2)
        #expect(fractions == fractions.sorted())
        #expect(fractions.last == 1)
        #expect(await device.store.currentBytes == image.bytes)
    }

    @Test("A push of what is current is verified too, after progress that says so")
    func current() async throws {
        let device = try await ServedSocket()
        _ = try await image.prepared.push(to: device.target)
        let updates = try await updates(of: device.target)
        guard case .progress(let progress)? = updates.dropLast().last, updates.count == 3 else {
            Issue.record("\(updates)")
            return
        }
        #expect(progress.fractionStored == 1)
    }

    @Test("Cancelling the task that iterates stops the push, and the next one goes on from there")
    func cancellation() async throws {
        let device = try await ServedSocket()
        let target = device.slowTarget
        let push = Task {
            for try await update in image.prepared.pushing(to: target) {
                guard case .progress(let progress) = update else { continue }
                if progress.fractionStored > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: TransferError.self) { try await push.value }
        #expect(error?.code == .cancelled)
        try await device.awaits { if case .ended = $0.kind { true } else { false } }
        let report = try await image.prepared.push(to: target)
        #expect(report.resumedFromByte > 0)
        #expect(await device.store.currentBytes == image.bytes)
    }

    @Test("Leaving the loop early stops the push, and the device is told")
    func leaving() async throws {
        let device = try await ServedSocket()
        for try await update in image.prepared.pushing(to: device.slowTarget) {
            if case .progress(let progress) = update, progress.fractionStored > 0 { break }
        }
        try await device.awaits { event in
            if case .ended(let error) = event.kind { error.refusal == .cancelled } else { false }
        }
        let report = try await image.prepared.push(to: device.target)
        #expect(report.resumedFromByte > 0)
    }

    @Test("A task that is cancelled already pushes nothing")
    func cancelledBefore() async throws {
        let device = try await ServedSocket()
        let push = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await image.prepared.push(to: device.target)
        }
        let error = await #expect(throws: TransferError.self) { try await push.value }
        #expect(error?.code == .cancelled)
        #expect(await device.store.current == nil)
    }
}
