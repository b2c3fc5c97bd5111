import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// The sender of a receiver's run, honest or not.
extension ReceiverRun {
    func hear(_ frame: SenderControl) throws(BrokenProperty) {
        let datagram = FrameBytes.bytes(of: frame)
        try deliver(datagram)
    }

    private func deliver(_ datagram: [UInt8]) throws(BrokenProperty) {
        let frame = try FrameRun.readSender(datagram)
        let (before, ticket) = (machine.phase, machine.ticket)
        var error: FrameDecodingError?
        try enter { error = $0.receive(control: datagram.span.bytes, at: now) }
        try require((error == nil) == (frame != nil), "\(datagram) is taken or dropped")
        let isOpened = machine.ticket != ticket
        switch frame {
        case nil: try require(machine.phase == before, "a dropped frame counts")
        case .open(let open):
            guard isOpened else {
                try require(machine.phase == before, "an OPEN of \(before): \(machine.phase)")
                return
            }
            let isAgain = open.session == session && before != .idle && before != .requesting
            try require(!isAgain, "the present session is opened again")
            try require(machine.phase == .lookingUp, "opened, and in \(machine.phase)")
            try require(machine.chunkSize == open.chunkSize, "another chunk size")
            previousSession = session
            session = open.session
            store.begin(open)
            ledger.expire()
        case .poll: try require(machine.phase == before, "a POLL changes the phase")
        case .query: try require(machine.phase == before, "a QUERY changes the phase")
        case .challenge: try require(machine.phase == before, "a CHALLENGE changes the phase")
        case .close: try require([before, .idle].contains(machine.phase), "CLOSE, not closed")
        }
        try require(isOpened == (machine.ticket != ticket), "another ticket")
    }

    func open() throws(BrokenProperty) {
        let wordCount = UInt8(3 + input.choice(125))
        try hear(
            .open(
                .init(
                    session: anySession(),
                    chunkSize: ChunkSize(wordCount: wordCount)!,
                    manifestByteCount: UInt32(
                        min(66 + input.magnitude(bitCountMax: 25), 33_554_432)
                    ),
                    tag: TransferTag(rawValue: UInt64(input.byte()))
                )
            )
        )
    }

    func poll() -> SenderControl.Poll {
        .init(
            session: anySession(),
            object: input.flag() ? .image : .manifest,
            epoch: Epoch(input.byte())
        )
    }

    func close() throws(BrokenProperty) {
        // Rarely, or hardly any input would get far.
        let byte = input.byte()
        guard byte >= 0xF0 else { return }
        let reason = byte & 1 == 0 ? Reason.cancelled : .withdrawn
        try hear(.close(.init(session: anySession(), reason: reason)))
    }

    private func anySession() -> SessionNumber {
        switch input.choice(4) {
        case 0: session
        case 1: session.next
        case 2: previousSession
        default: SessionNumber(input.uint16())
        }
    }

    func hearBytes() throws(BrokenProperty) {
        let kind = input.choice(3)
        let bytes = input.bytes(countMax: 560)
        switch kind {
        case 0: try deliver(bytes)
        case 1: try deliver(FrameBytes.sealed(bytes, session: session))
        default: try lie(bytes, chunk: forgedIndex(of: bytes))
        }
    }

    // MARK: - Data frames of the sender

    /// Chunks as an honest sender would send them.
    func sendInOrder() throws(BrokenProperty) {
        let count = 1 + input.magnitude(bitCountMax: 10)
        let flags = input.byte()
        guard let shadow = store.shadow else { return }
        let first = flags & 1 != 0 ? ledger.cumulative : store.sendNext
        for step in 0..<UInt32(count) {
            let index = first &+ step
            guard chunksLeft > 0, index < shadow.chunkCount else { break }
            let isLast = step + 1 == UInt32(count) || index + 1 == shadow.chunkCount
            try send(index, isPoll: flags & 2 != 0 && isLast)
            store.sendNext = index &+ 1
        }
        if flags & 4 != 0 { try drain() }
    }

    func sendSomewhere() throws(BrokenProperty) {
        let flags = input.byte()
        let distance = UInt32(input.magnitude(bitCountMax: 16))
        let index: UInt32 =
            switch flags & 3 {
            case 0: ledger.cumulative &+ distance
            case 1: ledger.cumulative &- distance
            case 2: UInt32(truncatingIfNeeded: ledger.edge) &- distance
            default: (store.shadow?.chunkCount ?? 0) &- distance
            }
        try send(index, isPoll: flags & 4 != 0)
    }

    private func send(_ index: UInt32, isPoll: Bool) throws(BrokenProperty) {
        guard let shadow = store.shadow, index < shadow.chunkCount else { return }
        let payload = Content.bytes(in: shadow.byteRange(ofChunk: index), of: shadow.object)
        // One that is there already may lie further back than 15 bits of index reach.
        let isPromised =
            machine.phase == .receiving(shadow.object) && ledger.isCurrent && !shadow.has(index)
            && !setup.options.leavesPaceToSender
            && index >= ledger.cumulative && UInt64(index) < ledger.edge
        let dropped = machine.statistics.dataFramesDropped
        try deliver(
            data: FrameBytes.data(
                chunkIndex: index,
                isPoll: isPoll,
                payload: payload,
                header: ledger.header
            ),
            chunk: index
        )
        try require(
            !isPromised || machine.statistics.dataFramesDropped == dropped,
            "chunk \(index) had credit and was dropped"
        )
    }

    /// A right checksum over a wrong length, index, epoch or content.
    func sendLie() throws(BrokenProperty) {
        let flags = input.byte()
        let index = flags & 1 != 0 ? input.uint32() : ledger.cumulative &+ UInt32(input.byte())
        var payload = input.bytes(countMax: 508)
        if flags & 2 != 0, let chunkSize = machine.chunkSize {
            payload = Array(repeating: flags, count: chunkSize.byteCount)
        }
        guard !payload.isEmpty else { return }
        let datagram = FrameBytes.data(
            chunkIndex: index,
            isPoll: flags & 4 != 0,
            payload: payload,
            header: flags & 8 != 0 ? ledger.headerBefore : ledger.header
        )
        try lie(datagram, chunk: index)
    }

    private func lie(_ datagram: [UInt8], chunk index: UInt32?) throws(BrokenProperty) {
        let (wasTainted, placed) = (store.isTainted, machine.statistics.dataFramesPlaced)
        store.isTainted = true
        try deliver(data: datagram, chunk: index)
        store.isTainted = wasTainted || machine.statistics.dataFramesPlaced != placed
    }

    /// Which chunk these bytes are, if by chance they are one: a checksum of 16 bits is found in
    /// minutes by who looks at how it is compared.
    private func forgedIndex(of data: [UInt8]) -> UInt32? {
        guard (5...512).contains(data.count), let shadow = store.shadow else { return nil }
        let pollAndIndex = UInt16(data[0]) | UInt16(data[1]) << 8
        guard
            let index = Reference.nearest(
                pollAndIndex & 0x7FFF,
                bitCount: 15,
                to: shadow.firstMissing
            )
        else { return nil }
        // Before the first account of an epoch the number of it is not known.
        let headers =
            ledger.isCurrent
            ? [ledger.header]
            : (0...255).map {
                PseudoHeader(session: session, object: shadow.object, epoch: Epoch($0))
            }
        let isChunk = headers.contains { header in
            data
                == FrameBytes.data(
                    chunkIndex: index,
                    isPoll: pollAndIndex & 0x8000 != 0,
                    payload: Array(data[2..<data.count - 2]),
                    header: header
                )
        }
        return isChunk ? index : nil
    }

    func sendEcho() throws(BrokenProperty) {
        let token = UInt32(input.uint16() & 0x7FFF)
        let payload = Array(repeating: UInt8(0), count: 1 + Int(input.uint16() % 508))
        let datagram = FrameBytes.data(
            chunkIndex: token,
            isPoll: false,
            payload: payload,
            header: .echo
        )
        try lie(datagram, chunk: forgedIndex(of: datagram))
    }

    private func deliver(data: [UInt8], chunk index: UInt32?) throws(BrokenProperty) {
        chunksLeft -= 1
        let (before, phase) = (machine.statistics, machine.phase)
        // Whatever it is, it may turn out to be a probe.
        echoesDue = min(echoesDue + 1, 8)
        try enter { $0.receive(data: data.span.bytes, at: now) }
        let after = machine.statistics
        let isPlaced = after.dataFramesPlaced > before.dataFramesPlaced
        let isRepeated = after.dataFramesRepeated > before.dataFramesRepeated
        let isDropped = after.dataFramesDropped > before.dataFramesDropped
        try require(
            [isPlaced, isRepeated, isDropped].filter(\.self).count == 1,
            "a frame counted twice"
        )
        try require(machine.phase == phase, "a data frame changes the phase")
        if isPlaced { try store.placed(index, data.count) }
    }
}
