import BLEOTADevice
import BLEOTAReceiverC
import CBLEOTAReceiver
import Testing

/// A receiver that the functions for C drive.
final class CDevice: TestDevice {
    let setup: CSetup
    let memory: GuardedBytes
    let receiver: UnsafeMutablePointer<bleota_receiver>

    init(_ board: Board, _ configure: (inout bleota_setup) -> Void = { _ in }) throws {
        setup = CSetup(board)
        configure(&setup.pointer.pointee)
        let byteCount = receiverByteCount(setup.pointer)
        memory = GuardedBytes(Int(byteCount))
        var started: UnsafeMutablePointer<bleota_receiver>?
        let error = receiverStart(memory.bytes.baseAddress, byteCount, setup.pointer, &started)
        #expect(error == BLEOTA_OK)
        receiver = try #require(started)
    }

    deinit { #expect(memory.isIntact, "the receiver wrote outside its memory") }

    func receive(control frame: [UInt8]) {
        let error = receiverTakeControl(receiver, frame, UInt32(frame.count))
        #expect(error == BLEOTA_OK)
    }

    func receive(data frame: [UInt8]) {
        let error = receiverTakeData(receiver, frame, UInt32(frame.count))
        #expect(error == BLEOTA_OK)
    }

    func run() -> Microseconds? {
        var wait: UInt32 = 1
        let error = receiverRun(receiver, &wait)
        #expect(error == BLEOTA_OK)
        return wait == .max ? nil : Microseconds(Int64(wait))
    }

    var status: bleota_status {
        var status = bleota_status()
        let error = receiverStatus(receiver, &status)
        #expect(error == BLEOTA_OK)
        return status
    }

    var isReceivingImage: Bool { status.phase == BLEOTA_PHASE_RECEIVING_IMAGE }
}
