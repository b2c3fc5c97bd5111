import BLEOTAWire
import Testing

@Suite("Acknowledgement")
struct AcknowledgementTests {
    @Test("A frame is as long as its bitmap, and reads as it was written")
    func bitmaps() {
        for bitmap in Sample.bitmaps {
            let acknowledgement = Sample.acknowledgement(bitmap: bitmap)
            let bytes = Wire.bytes(of: .acknowledgement(acknowledgement), session: Sample.session)
            #expect(bytes.count == acknowledgement.byteCount)
            #expect(
                Wire.fromReceiver(bytes, session: Sample.session)
                    == .success(.acknowledgement(acknowledgement))
            )
        }
    }

}
