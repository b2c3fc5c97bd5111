import BLEOTADevice
import Testing

extension World {
    /// What the flash says of its slots, by both functions that read it.
    func record(sourceLocation: SourceLocation = #_sourceLocation) -> SlotRecord? {
        let reader = Board(flash)
        guard let record = try? SlotRecord(of: BoardHooks(board: reader)) else {
            Issue.record("the record can't be read", sourceLocation: sourceLocation)
            return nil
        }
        return record
    }

    /// The slot has this image, the record says so, and the flash was treated well.
    func expectCurrent(
        _ image: TestImage,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            flash.slot(image.bytes.count).elementsEqual(image.bytes),
            comment,
            sourceLocation: sourceLocation
        )
        if let record = record(sourceLocation: sourceLocation) {
            #expect(
                record.slotAddress == flash.layout.slot.lowerBound
                    && record.imageByteCount == UInt32(image.bytes.count)
                    && record.tag == image.tag.rawValue
                    && record.imageSHA256.tag == image.digestPrefix
                    && image.sha256.withUnsafeBytes { record.imageSHA256.begins(with: $0) },
                comment,
                sourceLocation: sourceLocation
            )
        }
        expectNoViolations(comment, sourceLocation: sourceLocation)
    }

    func expectNoViolations(
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(flash.violations == [], comment, sourceLocation: sourceLocation)
    }

    /// How sessions ended, as the device told its log.
    var endings: [Reason] {
        board.events.compactMap { event in
            if case .ended(let reason) = event { reason } else { nil }
        }
    }
}
