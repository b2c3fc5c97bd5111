import BLEOTA

extension RuleCheck {
    func closeEndsReceive() async throws(Finding) {
        let (here, there) = (Collector(near), Collector(far))
        await pause(.milliseconds(5))
        near.close(.local)
        guard let ending = await here.ending(within: limit) else {
            throw Finding("close() did not end the receive() of the same end in \(limit).")
        }
        guard ending == .closed(.local) else {
            throw Finding("receive() threw \(ending) at a close(), and has to throw closed(local).")
        }
        guard options.closeReachesPeer else { return }
        guard let ending = await there.ending(within: limit) else {
            throw Finding("close() did not end the receive() of the other end in \(limit).")
        }
        guard case .closed = ending else {
            throw Finding("receive() threw \(ending) when the peer closed, and not closed.")
        }
    }

    func reason() async throws(Finding) {
        let first = CloseReason.failed("The battery is empty.")
        guard near.closeReason == nil, far.closeReason == nil else {
            throw Finding("A new link has a reason for its end.")
        }
        near.close(first)
        near.close(.local)
        try await expectEnd(of: near, first, "the end that closed")
        guard options.closeReachesPeer else { return }
        guard case .closed(let told)? = await Collector(far).ending(within: limit) else {
            throw Finding("The other end did not end in \(limit).")
        }
        guard told != .local else {
            throw Finding("The other end ended with the reason local, though it did not close.")
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
            throw Finding("closeReason of \(name) is \(told), and has to be \"\(reason)\".")
        }
        try await expect(.closed(reason), of: "receive() after a close, at \(name),") {
            () throws(TransportError) in _ = try await end.receive()
        }
        try await expect(.closed(reason), of: "send() after a close, at \(name),") {
            () throws(TransportError) in try await end.send([1], on: .control, .withResponse)
        }
        try await expect(.closed(reason), of: "flush() after a close, at \(name),") {
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
                throw Finding("receive() did not end in \(limit) after a close.")
            }
            guard Set(collector.datagrams) == Set(sent) else {
                throw Finding(
                    "\(sent.count) datagrams had arrived before a close, and "
                        + "\(collector.datagrams.count) could be received after it at \(place)."
                )
            }
        }
    }
}
