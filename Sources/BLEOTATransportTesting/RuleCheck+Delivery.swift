import BLEOTA

extension RuleCheck {
    func delivery() async throws(Finding) {
        let count = 300
        let (nearCollector, farCollector) = (Collector(near), Collector(far))
        let ends = [(near, farCollector), (far, nearCollector)]
        let probes = ends.map { end, _ in
            let sent = Self.mixture(count, for: end.limits)
            return Probe(throwing: { () throws(TransportError) in
                for (datagram, delivery) in sent {
                    try await end.send(datagram.bytes, on: datagram.channel, delivery)
                }
            })
        }
        for ((end, collector), probe) in zip(ends, probes) {
            switch await probe.value(within: limit) {
            case nil: throw Finding("\(count) datagrams could not be sent within \(limit).")
            case .some(let error?): throw Finding("send() threw \(error).")
            case .some(nil): break
            }
            let sent = Self.mixture(count, for: end.limits).map(\.0)
            if options.isLossy {
                try compare(await collector.settled(), with: sent, isOrdered: end.limits.isOrdered)
            } else {
                guard await collector.datagrams(atLeast: count, within: limit) != nil else {
                    throw Finding("Of \(count) datagrams, \(collector.shortage).")
                }
                // A duplicate would arrive slightly later, so wait for it.
                await pause(.milliseconds(50))
                try compare(collector.datagrams, with: sent, isOrdered: end.limits.isOrdered)
            }
        }
    }

    /// Creates datagrams for both channels, with and without response.
    private static func mixture(
        _ count: Int,
        for limits: TransportLimits
    ) -> [(Datagram, Datagram.Delivery)] {
        (0..<count).map { number in
            let channel: Datagram.Channel = number.isMultiple(of: 7) ? .control : .data
            let byteCount = min(18 + number % 60, limits.byteCountMax(on: channel))
            let isAnswered = channel == .control || limits.takesDataWithResponse
            return (
                numbered(number, byteCount: byteCount, on: channel),
                isAnswered && number.isMultiple(of: 11) ? .withResponse : .withoutResponse
            )
        }
    }

    private func compare(
        _ arrived: [Datagram],
        with sent: [Datagram],
        isOrdered: Bool
    ) throws(Finding) {
        let all = Set(sent)
        if let other = arrived.first(where: { !all.contains($0) }) {
            throw Finding("A datagram arrived that was not sent: \(other).")
        }
        if options.isLossy { return }
        guard arrived.count == sent.count else {
            throw Finding("\(sent.count) datagrams were sent, but \(arrived.count) arrived.")
        }
        for channel in Datagram.Channel.allCases {
            let (left, right) = (
                sent.filter { $0.channel == channel }, arrived.filter { $0.channel == channel }
            )
            guard isOrdered ? left == right : Set(left) == Set(right) else {
                throw Finding(
                    isOrdered
                        ? "On the \(channel) channel, datagrams arrived out of order, or one "
                            + "arrived twice in place of another."
                        : "On the \(channel) channel, a datagram arrived twice in place of another."
                )
            }
        }
    }

    func sizes() async throws(Finding) {
        let collector = Collector(far)
        for channel in Datagram.Channel.allCases {
            for byteCount in [1, near.limits.byteCountMax(on: channel)] {
                let datagram = Self.numbered(byteCount, byteCount: byteCount, on: channel)
                try await exchange(datagram, "A datagram", with: collector)
            }
        }
    }

    func refusals() async throws(Finding) {
        for channel in Datagram.Channel.allCases {
            let max = near.limits.byteCountMax(on: channel)
            for delivery in Datagram.Delivery.allCases {
                try await expect(.emptyDatagram, of: "send() of an empty datagram") {
                    [near] () throws(TransportError) in
                    try await near.send([], on: channel, delivery)
                }
                try await expect(
                    .datagramTooLarge(byteCount: max + 1, limit: max),
                    of: "send() of a datagram that is too large"
                ) { [near] () throws(TransportError) in
                    try await near.send(
                        [UInt8](repeating: 0, count: max + 1),
                        on: channel,
                        delivery
                    )
                }
            }
        }
        let collector = Collector(far)
        try await exchange(Self.numbered(1), "A datagram after refused ones", with: collector)
        if let first = collector.datagrams.first, first != Self.numbered(1) {
            throw Finding("A refused datagram arrived: \(first).")
        }
    }

    func batches() async throws(Finding) {
        if options.isLossy { return }
        let count = 20
        try await send((0..<count).map { Self.numbered($0) })
        try await settle(near)
        let collector = Collector(far)
        guard await collector.datagrams(atLeast: count, within: limit) != nil else {
            throw Finding("Of \(count) datagrams, \(collector.shortage).")
        }
        // More than one call is allowed, because the link may still have been delivering the last
        // datagrams.
        guard collector.batchCount <= count / 2 else {
            throw Finding(
                "receive() was called \(collector.batchCount) times for \(count) datagrams that "
                    + "had already arrived, but one call must return all of them."
            )
        }
    }

    func flush() async throws(Finding) {
        try await expect(nil, of: "flush() of a link that sent nothing") {
            [near] () throws(TransportError) in try await near.flush()
        }
        let sent = (0..<30).map { Self.numbered($0) }
        let collector = Collector(far)
        try await send(sent)
        try await expect(nil, of: "flush()") { [near] () throws(TransportError) in
            try await near.flush()
        }
        guard options.flushProvesArrival, !options.isLossy else { return }
        // A closed end still delivers the datagrams that have arrived, but no later ones.
        far.close(.local)
        _ = await collector.ending(within: limit)
        let arrived = collector.datagrams.count
        guard arrived == sent.count else {
            throw Finding(
                "flush() returned after \(arrived) of \(sent.count) datagrams had arrived."
            )
        }
    }
}
