import FleetModel
import FleetStore
import NATS

extension Controller {
    /// Writes what the planner wants, several at once.
    func decide(_ bell: AsyncStream<Void>) async {
        await withDiscardingTaskGroup { group in
            for await _ in bell where holdsSeat {
                for write in planner.decide(at: SystemTime.moment, SystemTime.uptime) {
                    group.addTask { await self.carryOut(write) }
                }
            }
        }
    }

    private func carryOut(_ write: Write) async {
        while !Task.isCancelled {
            guard holdsSeat else {
                try? await Task.sleep(for: Self.pause)
                continue
            }
            if await tryOnce(write) { break }
            try? await Task.sleep(for: Self.pause)
        }
        planner.end(write)
        wake()
    }

    /// - Returns: whether it is over: written, or decided by another.
    private func tryOnce(_ write: Write) async -> Bool {
        let isOver = await asking { () throws(FleetStoreError) in
            do throws(FleetStoreError) {
                try await perform(write)
            } catch {
                // After a failure that left open whether it was written, it may have been.
                guard error == .nats(.revisionConflict) else { throw error }
                try await read(write)
            }
            return true
        }
        return isOver ?? false
    }

    private func perform(_ write: Write) async throws(FleetStoreError) {
        switch write {
        case .record(let record, let last):
            let old = planner.record(of: record.id)
            let revision = try await put(record, record.id, after: last, on: store.devices)
            planner.see(record, revision, at: SystemTime.uptime)
            tell(.wrote(record, after: old))
        case .campaign(let campaign, let last):
            let id = campaign.plan.id
            let revision = try await put(campaign, id, after: last, on: store.campaigns)
            planner.see(campaign, revision)
            tell(.advanced(campaign))
        case .progress(let campaign, let progress, let last):
            let revision = try await put(progress, campaign, after: last, on: store.progress)
            planner.see(progress, of: campaign, revision)
        case .order(let name, let order, let last):
            let revision = try await put(order, name, after: last, on: store.orders)
            planner.see(order, name, revision)
        case .withdrawal(let name, let last):
            try await store.orders.delete(name, after: last)
            planner.forgetOrder(name, upTo: last)
        case .audit(let gateway, let sentence):
            tell(.lied(gateway, sentence))
            try await store.audit.add(sentence, about: .gateway(gateway))
        case .feed(let gateway): try await store.createOrderFeed(of: gateway)
        }
    }

    private func put<Name, Value>(
        _ value: Value,
        _ name: Name,
        after last: Revision?,
        on shelf: Shelf<Name, Value>
    ) async throws(FleetStoreError) -> Revision {
        guard let last else { return try await shelf.create(name, value) }
        return try await shelf.update(name, value, after: last)
    }

    /// Sees what another has written.
    private func read(_ write: Write) async throws(FleetStoreError) {
        do throws(FleetStoreError) {
            switch write {
            case .record(let record, _):
                let entry = try await store.devices.get(record.id)
                planner.see(entry.value, entry.revision, at: SystemTime.uptime)
            case .campaign(let campaign, _):
                let entry = try await store.campaigns.get(campaign.plan.id)
                planner.see(entry.value, entry.revision)
            case .progress(let campaign, _, _):
                let entry = try await store.progress.get(campaign)
                planner.see(entry.value, of: campaign, entry.revision)
            case .order(let name, _, _), .withdrawal(let name, _):
                let entry = try await store.orders.get(name)
                planner.see(entry.value, name, entry.revision)
            case .audit, .feed: break
            }
        } catch {
            switch error {
            case .nats(.notFound), .unreadable: forget(write)
            default: throw error
            }
        }
    }

    /// What should be replaced is gone, or can't be read; the watches tell if that changes.
    private func forget(_ write: Write) {
        switch write {
        case .record(let record, nil): planner.exclude(record.id)
        case .record(let record, _): planner.forget(record.id)
        case .campaign(let campaign, _): planner.forget(campaign.plan.id)
        case .progress(let campaign, _, let last): planner.forgetProgress(of: campaign, upTo: last)
        case .order(let name, _, _), .withdrawal(let name, _): planner.forgetOrder(name)
        case .audit, .feed: break
        }
    }
}
