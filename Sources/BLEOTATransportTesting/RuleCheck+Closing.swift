import BLEOTA

extension RuleCheck {
    func closeEndsReceive() async throws(Finding) {
        let (here, there) = (Collector(near), Collector(far))
        await pause(.milliseconds(5))
        near.close(.local)
        guard let ending = await here.ending(within: limit) else {
            throw Finding("close() did not end receive() at the same end within \(limit).")
        }
        guard ending == .closed(.local) else {
            throw Finding("receive() threw \(ending) after close(), but must throw closed(local).")
        }
        guard options.closeReachesPeer else { return }
        guard let ending = await there.ending(within: limit) else {
            throw Finding("close() did not end receive() at the other end within \(limit).")
        }
        guard case .closed = ending else {
            throw Finding("receive() threw \(ending) when the peer closed, but must throw closed.")
        }
    }

    func reason() async throws(Finding) {
        let first = CloseReason.failed("The battery is empty.")
        guard near.closeReason == nil, far.closeReason == nil else {
            throw Finding("A new link already has a close reason.")
        }
        near.close(first)
        near.close(.local)
        try await expectEnd(of: near, first, "the end that closed")
        guard options.closeReachesPeer else { return }
        guard case .closed(let told)? = await Collector(far).ending(within: limit) else {
            throw Finding("The other end did not close within \(limit).")
        }
        guard told != .local else {
            throw Finding(
                "The other end closed with the reason local, although it did not call close()."
            )
        }
        far.close(.failed("too late"))
        try await expectEnd(of: far, told, "the other end")
    }

    private func expectEnd(
        of end: any Transport,
        _ reason: CloseReason,
        _ name: String
    ) async throws(Finding) {
        guard end.closeReason == reason else {
            let told = end.closeReason.map { "\"\($0)\"" } ?? "nil"
            throw Finding("closeReason of \(name) is \(told), but must be \"\(reason)\".")
        }
        try await expect(.closed(reason), of: "receive() after close(), at \(name),") {
            () throws(TransportError) in _ = try await end.receive()
        }
        try await expect(.closed(reason), of: "send() after close(), at \(name),") {
            () throws(TransportError) in try await end.send([1], on: .control, .withResponse)
        }
        try await expect(.closed(reason), of: "flush() after close(), at \(name),") {
            () throws(TransportError) in try await end.flush()
        }
    }

    func arrivedBeforeClose() async throws(Finding) {
        if options.isLossy { return }
        let sent = (0..<3).map { Self.numbered($0) }
        try await send(sent)
        try await RuleCheck(near: far, far: near, options: options).send(sent)
        try await settle(near)
        try await settle(far)
        near.close(.local)
        var ends = [(near, "the end that closed")]
        if options.closeReachesPeer { ends.append((far, "the other end")) }
        for (end, place) in ends {
            let collector = Collector(end)
            guard await collector.ending(within: limit) != nil else {
                throw Finding("receive() did not end within \(limit) after close().")
            }
            guard Set(collector.datagrams) == Set(sent) else {
                throw Finding(
                    "\(sent.count) datagrams had arrived before close(), but "
                        + "\(collector.datagrams.count) could be received after it at \(place)."
                )
            }
        }
    }
}
