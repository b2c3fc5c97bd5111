import BLEOTACore

extension SecureDFU {
    /// It counts the packets that it got, not those that were sent.
    struct Receiver: BaselineReceiver {
        private var executedByteCount = 0
        private var receiptPacketCount = 0
        private var packetCount = 0
        private(set) var image = ReceivedImage()

        var deadline: Instant? { nil }

        mutating func receive(_ frame: Frame, _ link: inout BaselineLink<Frame>) {
            switch frame {
            case .setReceipts(let packetCount):
                receiptPacketCount = packetCount
                link.notify(.accepted(.setReceipts), byteCount: acceptedByteCount)
            case .select:
                let answer = Frame.selected(byteCount: executedByteCount)
                link.notify(answer, byteCount: selectedByteCount)
            case .create:
                image.truncate(to: executedByteCount)
                packetCount = 0
                link.notify(.accepted(.create), byteCount: acceptedByteCount)
            case .data(let range): store(range, &link)
            case .calculateChecksum: link.notify(.checksum(image), byteCount: checksumByteCount)
            case .execute:
                executedByteCount = image.byteCount
                link.notify(.accepted(.execute), byteCount: acceptedByteCount)
            case .accepted, .selected, .checksum:
                preconditionFailure("a receiver's own frame")
            }
        }

        mutating func handleTimeout(_ link: inout BaselineLink<Frame>) {
            preconditionFailure("no deadline was set")
        }

        private mutating func store(_ range: Range<Int>, _ link: inout BaselineLink<Frame>) {
            image.append(range)
            packetCount += 1
            guard receiptPacketCount > 0, packetCount % receiptPacketCount == 0 else { return }
            link.notify(.checksum(image), byteCount: checksumByteCount)
        }
    }
}
