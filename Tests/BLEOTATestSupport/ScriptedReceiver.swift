public import BLEOTA
public import BLEOTAWire

/// A receiver that keeps the protocol up to a stage of the transfer, and from there on is silent,
/// stubborn or wrong, as a test wants it. It stores nothing.
public struct ScriptedReceiver: Sendable {
    /// How far a transfer is, as its receiver sees it.
    public enum Stage: Int, Sendable, CaseIterable {
        /// OPEN has arrived.
        case opening
        /// The first chunk of the manifest has arrived.
        case manifest
        /// The first chunk of the image has arrived.
        case image
        /// The whole image has arrived.
        case verifying
    }

    /// What it does when the stage is reached, to each datagram that arrives.
    public enum Manner: Sendable {
        /// Takes what arrives and says nothing.
        case silent
        /// Doesn't even take what arrives.
        case asleep
        /// Answers, and takes no more data.
        case withoutCredit
        /// Says that it is busy.
        case busy
        /// Claims chunks that don't exist.
        case malformed
        /// Says something else than this protocol.
        case garbage
        /// Ends the session with RESULT.
        case result(Reason, detail: UInt64)
    }

    private let imageByteCount: Int
    private let stage: Stage
    private let manner: Manner

    /// A receiver of an image of this length.
    public init(of imageByteCount: Int, from stage: Stage, _ manner: Manner) {
        self.imageByteCount = imageByteCount
        self.stage = stage
        self.manner = manner
    }

    /// Receives until CLOSE arrives or the link ends.
    ///
    /// - Returns: the control frames that arrived.
    public func run(over link: any Transport) async -> [SenderControl] {
        var account = ScriptedAccount(imageByteCount: imageByteCount)
        var heard: [SenderControl] = []
        while let datagrams = try? await link.receive() {
            for datagram in datagrams {
                guard let control = account.take(datagram) else { continue }
                heard.append(control)
                if case .close = control { return heard }
            }
            if account.stage.rawValue < stage.rawValue {
                await send(.acknowledgement(account.acknowledgement(credit: 16)), account, link)
            } else if case .asleep = manner {
                await link.end()
                return heard
            } else {
                await misbehave(account, link)
            }
        }
        return heard
    }

    private func misbehave(_ account: ScriptedAccount, _ link: any Transport) async {
        switch manner {
        case .silent, .asleep: return
        case .withoutCredit:
            await send(.acknowledgement(account.acknowledgement(credit: 0)), account, link)
        case .busy:
            let busy = ReceiverControl.Busy(
                phase: .writing,
                object: account.object,
                epoch: account.epoch,
                millisecondsLeft: 0
            )
            await send(.busy(busy), account, link)
        case .malformed:
            var acknowledgement = account.acknowledgement(credit: 1)
            acknowledgement.durableByteCount = UInt32.max
            await send(.acknowledgement(acknowledgement), account, link)
        case .garbage:
            for byteCount in 1...40 {
                let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ byteCount) }
                try? await link.send(bytes, on: .control, .withResponse)
            }
        case .result(let reason, let detail):
            await send(.result(.init(reason: reason, detail: detail)), account, link)
        }
    }

    private func send(
        _ frame: ReceiverControl,
        _ account: ScriptedAccount,
        _ link: any Transport
    ) async {
        let bytes = frame.bytes(session: account.session)
        try? await link.send(bytes, on: .control, .withResponse)
    }
}

extension Transport {
    /// Waits until the link has ended, without taking anything from it.
    fileprivate func end() async {
        while closeReason == nil, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

extension ReceiverControl {
    /// The frame as a datagram.
    public func bytes(session: SessionNumber) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: ReceiverControl.byteCountMax) { buffer, count in
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = encode(session: session, into: &output)
        }
    }
}

extension SenderControl {
    /// The frame as a datagram.
    public var datagram: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var output = UnsafeMutableRawBufferPointer(buffer).mutableBytes
            count = encode(into: &output)
        }
    }
}
