import FleetModel
import FleetStore
import NATS

/// That a controller has the seat.
struct Hold {
    let seat: Seat
    let revision: Revision
    /// Until when it begins to write.
    let end: ContinuousClock.Instant
}

extension Controller {
    /// Whether it may write now.
    var holdsSeat: Bool { hold.map { .now < $0.end } ?? false }

    /// Waits until the seat is free or its holder is silent, and takes it. Returns without it if
    /// the task is cancelled.
    func takeSeat() async throws(ControllerError) {
        var seen: (seat: Seat, revision: Revision, since: ContinuousClock.Instant)?
        while !Task.isCancelled, hold == nil {
            do throws(FleetStoreError) {
                let entry = try await seatEntry()
                if absence.succeeded() { tell(.engineBack) }
                if let entry, seen?.revision != entry.revision {
                    if seen?.seat.holder != entry.value.holder {
                        tell(.waiting(for: entry.value.holder))
                    }
                    seen = (entry.value, entry.revision, .now)
                }
                let since = seen?.since ?? .now
                if entry == nil || since.duration(to: .now) >= Self.duration(pace.seatSilenceMax) {
                    try await writeSeat(after: entry.map { ($0.value, $0.revision) })
                    tell(.active)
                    return
                }
            } catch {
                guard error.mayPass || error == .nats(.revisionConflict) else {
                    throw ControllerError(reason: error)
                }
                if error.mayPass, !Task.isCancelled, absence.failed(error) {
                    tell(.engineAway(error.description))
                }
            }
            try? await Task.sleep(for: Self.duration(pace.seatInterval) / 3)
        }
    }

    private func seatEntry() async throws(FleetStoreError) -> Shelf<Identifier<Seat>, Seat>.Entry? {
        do throws(FleetStoreError) {
            return try await store.seat.get(FleetStore.activeSeat)
        } catch {
            guard error == .nats(.notFound) else { throw error }
            return nil
        }
    }

    private func writeSeat(after last: (seat: Seat, revision: Revision)?)
        async throws(FleetStoreError)
    {
        let sent = ContinuousClock.now
        let seat = Seat(id, beat: (last?.seat.beat ?? 0) &+ 1)
        let name = FleetStore.activeSeat
        let revision =
            if let last {
                try await store.seat.update(name, seat, after: last.revision)
            } else { try await store.seat.create(name, seat) }
        hold = Hold(seat: seat, revision: revision, end: sent + Self.duration(pace.holdMax))
    }

    /// Writes the seat anew until it is lost or the task is cancelled.
    func keepSeat() async {
        while !Task.isCancelled, let last = hold {
            try? await Task.sleep(for: Self.duration(pace.seatInterval))
            while !Task.isCancelled, hold?.revision == last.revision {
                let wasLate = !holdsSeat
                let isRenewed: Void? = await asking { () throws(FleetStoreError) in
                    try await renew(last)
                }
                if isRenewed == nil { try? await Task.sleep(for: Self.pause / 4) }
                if wasLate, holdsSeat { planner.forgiveSilence(at: SystemTime.uptime) }
            }
        }
    }

    private func renew(_ last: Hold) async throws(FleetStoreError) {
        do throws(FleetStoreError) {
            try await writeSeat(after: (last.seat, last.revision))
        } catch {
            guard error == .nats(.revisionConflict) else { throw error }
            // An earlier attempt, which seemed to fail, may have been the one that wrote it.
            if let entry = try await seatEntry(), entry.value.holder == id {
                hold = Hold(seat: entry.value, revision: entry.revision, end: last.end)
            } else {
                hold = nil
                tell(.replaced)
            }
        }
    }

    /// Lets another controller begin at once.
    func leaveSeat() async {
        guard let last = hold else { return }
        hold = nil
        // If that fails, the others wait until the seat is silent.
        _ = await asking { () throws(FleetStoreError) in
            do throws(FleetStoreError) {
                try await store.seat.delete(FleetStore.activeSeat, after: last.revision)
            } catch {
                // Another may have taken it just now.
                guard error == .nats(.revisionConflict) else { throw error }
            }
        }
    }

    static func duration(_ span: Span) -> Duration { .milliseconds(span.milliseconds) }
}
