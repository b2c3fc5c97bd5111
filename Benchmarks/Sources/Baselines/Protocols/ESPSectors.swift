import BLEOTACore

/// A model of Espressif's OTA over BLE: sectors of 4 KiB in frames with the numbers of sector and
/// frame, the last of which has a checksum of the sector and brings the acknowledgement.
///
/// If that last frame is lost nothing is ever said, and the sender's timeout has to pass.
enum ESPSectors {
    enum Frame {
        case start
        case started
        case data(Range<Int>, isLastOfSector: Bool)
        /// The answer to a sector: which one is wanted next, the same if it was refused.
        case acknowledgement(wantedSector: Int)
    }

    private static let sectorByteCount = 4_096
    /// The number of the sector in two bytes, that of the frame in one.
    private static let headerByteCount = 3
    private static let checksumByteCount = 2
    /// Commands and their answers: a code, 16 bytes, and a checksum.
    private static let commandByteCount = 20
    private static let timeout = Microseconds.seconds(10)

    struct Sender: BaselineSender {
        private let setup: BaselineSetup
        /// What it sent last, or sends next; `nil` until the other end is ready.
        private var sector: Int?
        private(set) var isFinished = false
        private(set) var deadline: Instant?
        private(set) var counts = BaselineCounts()

        init(_ setup: BaselineSetup) { self.setup = setup }

        mutating func start(_ link: inout BaselineLink<Frame>) {
            link.request(.start, byteCount: commandByteCount)
            deadline = link.now + timeout
        }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .started where sector == nil: send(0, &link)
            case .acknowledgement(let wanted):
                guard wanted * sectorByteCount < setup.imageByteCount else {
                    isFinished = true
                    return
                }
                send(wanted, &link)
            default: break
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            counts.timeoutCount += 1
            if let sector { send(sector, &link) } else { start(&link) }
        }

        private mutating func send(_ sector: Int, _ link: inout BaselineLink<Frame>) {
            self.sector = sector
            let room = setup.valueByteCountMax - headerByteCount
            let bytes = setup.range(
                from: sector * sectorByteCount,
                byteCountMax: sectorByteCount
            )
            var offset = bytes.lowerBound
            // The last frame has one byte at least, since it has the checksum.
            while bytes.upperBound - offset > room - checksumByteCount {
                let end = min(offset + room, bytes.upperBound - 1)
                let frame = Frame.data(offset..<end, isLastOfSector: false)
                link.sendData(frame, byteCount: headerByteCount + end - offset)
                offset = end
            }
            let byteCount = headerByteCount + bytes.upperBound - offset + checksumByteCount
            let last = Frame.data(offset..<bytes.upperBound, isLastOfSector: true)
            link.sendData(last, byteCount: byteCount)
            deadline = link.now + timeout
        }
    }

    struct Receiver: BaselineReceiver {
        private let setup: BaselineSetup
        private var wantedSector = 0
        private(set) var image = ReceivedImage()

        init(_ setup: BaselineSetup) { self.setup = setup }

        var deadline: Instant? { nil }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .start:
                wantedSector = 0
                image = ReceivedImage()
                link.notify(.started, byteCount: commandByteCount)
            case .data(let range, let isLastOfSector):
                store(range)
                if isLastOfSector { answer(&link) }
            case .started, .acknowledgement: preconditionFailure("a receiver's own frame")
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            preconditionFailure("no deadline was set")
        }

        private var sectorStart: Int { wantedSector * sectorByteCount }

        private mutating func store(_ range: Range<Int>) {
            guard range.lowerBound / sectorByteCount == wantedSector else { return }
            // The first frame begins a sector anew.
            if range.lowerBound == sectorStart { image.truncate(to: sectorStart) }
            image.append(range)
        }

        /// Accepts the sector if the numbers of its frames and its checksum are right.
        private mutating func answer(_ link: inout BaselineLink<Frame>) {
            let end = min(sectorStart + sectorByteCount, setup.imageByteCount)
            if image.isWhole(end), end > sectorStart {
                wantedSector += 1
            } else {
                image.truncate(to: sectorStart)
            }
            let answer = Frame.acknowledgement(wantedSector: wantedSector)
            link.notify(answer, byteCount: commandByteCount)
        }
    }
}
