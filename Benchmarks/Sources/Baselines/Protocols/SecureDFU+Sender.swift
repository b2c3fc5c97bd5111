import BLEOTACore

extension SecureDFU {
    /// It waits after each group of packets for a receipt if there are any, and after each object
    /// for its checksum. It has no timeout, so where nothing comes somebody has to start again;
    /// what is executed stays.
    struct Sender: BaselineSender {
        private enum State {
            case settingReceipts
            case selecting
            case creating(Range<Int>)
            case sending(Range<Int>, offset: Int)
            case calculating(Range<Int>)
            case executing(Range<Int>)
            case pausing
            case finished
        }

        private static let repeatCountMax = 3
        /// Packets are whole words of the flash memory.
        private static let wordByteCount = 4

        private let setup: BaselineSetup
        /// How many packets make a receipt; 0 for none.
        private let receiptPacketCount: Int
        private let packetByteCount: Int
        private var state = State.settingReceipts
        /// How often the present object was repeated.
        private var repeatCount = 0
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup, receiptPacketCount: Int) {
            self.setup = setup
            self.receiptPacketCount = receiptPacketCount
            packetByteCount = setup.valueByteCountMax / Self.wordByteCount * Self.wordByteCount
        }

        var isFinished: Bool { if case .finished = state { true } else { false } }

        mutating func start(_ link: inout BaselineLink<Frame>) {
            repeatCount = 0
            let frame = Frame.setReceipts(packetCount: receiptPacketCount)
            link.request(frame, byteCount: setReceiptsByteCount)
            wait(in: .settingReceipts, link)
        }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch (state, frame) {
            case (.settingReceipts, .accepted(.setReceipts)):
                link.request(.select, byteCount: selectByteCount)
                wait(in: .selecting, link)
            case (.selecting, .selected(let byteCount)): beginObject(at: byteCount, &link)
            case (.creating(let object), .accepted(.create)):
                sendGroup(of: object, from: object.lowerBound, &link)
            case (.sending(let object, let offset), .checksum(let stored)):
                guard stored.isWhole(offset) else { return repeatObject(object, &link) }
                sendGroup(of: object, from: offset, &link)
            case (.calculating(let object), .checksum(let stored)):
                guard stored.isWhole(object.upperBound) else { return repeatObject(object, &link) }
                link.request(.execute, byteCount: bareByteCount)
                wait(in: .executing(object), link)
            case (.executing(let object), .accepted(.execute)):
                beginObject(at: object.upperBound, &link)
            default: break
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            if case .pausing = state { return start(&link) }
            guard !link.isRequesting else { return wait(in: state, link) }
            // The wait in vain was the pause before the restart.
            counts.timeoutCount += 1
            counts.restartCount += 1
            start(&link)
        }

        private mutating func beginObject(at offset: Int, _ link: inout BaselineLink<Frame>) {
            repeatCount = 0
            let object = setup.range(from: offset, byteCountMax: objectByteCount)
            guard !object.isEmpty else {
                state = .finished
                return
            }
            create(object, &link)
        }

        private mutating func create(_ object: Range<Int>, _ link: inout BaselineLink<Frame>) {
            link.request(.create, byteCount: createByteCount)
            wait(in: .creating(object), link)
        }

        private mutating func sendGroup(
            of object: Range<Int>,
            from start: Int,
            _ link: inout BaselineLink<Frame>
        ) {
            var (offset, packetCount) = (start, 0)
            let packetCountMax = receiptPacketCount > 0 ? receiptPacketCount : .max
            while offset < object.upperBound, packetCount < packetCountMax {
                let range = offset..<min(offset + packetByteCount, object.upperBound)
                link.sendData(.data(range), byteCount: range.count)
                offset = range.upperBound
                packetCount += 1
            }
            guard offset == object.upperBound else {
                return wait(in: .sending(object, offset: offset), link)
            }
            link.request(.calculateChecksum, byteCount: bareByteCount)
            wait(in: .calculating(object), link)
        }

        private mutating func repeatObject(
            _ object: Range<Int>,
            _ link: inout BaselineLink<Frame>
        ) {
            guard repeatCount < Self.repeatCountMax else {
                counts.restartCount += 1
                return wait(in: .pausing, link)
            }
            repeatCount += 1
            create(object, &link)
        }

        private mutating func wait(in state: State, _ link: BaselineLink<Frame>) {
            self.state = state
            deadline = link.now + setup.restartPause
        }
    }
}
