import BLEOTADevice
import Board
import Trust

/// What the hooks note for the main loop: they may not call the receiver themselves.
struct Notes {
    var hasVerified = false
}

/// What the lamp does for its receiver.
struct Lamp: DeviceHooks {
    let notes: UnsafeMutablePointer<Notes>
    let layout: FlashLayout

    func read(
        _ address: UInt32,
        into bytes: UnsafeMutableRawBufferPointer
    ) throws(FlashFault) {
        try check(board_flash_read(address, bytes.baseAddress, UInt32(bytes.count)))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) throws(FlashFault) {
        try check(board_flash_write(address, bytes.baseAddress, UInt32(bytes.count)))
    }

    func erase(pageAt address: UInt32) throws(FlashFault) {
        try check(board_flash_erase_page(address))
    }

    private func check(_ code: Int32) throws(FlashFault) {
        if code != 0 { throw FlashFault(code: code) }
    }

    func send(_ frame: UnsafeRawBufferPointer) -> Bool {
        board_link_send(frame.baseAddress, UInt32(frame.count))
    }

    func now() -> Instant { Instant(microseconds: Int64(truncatingIfNeeded: board_now())) }

    func log(_ event: DeviceEvent) {
        if case .ended(.verified) = event { notes.pointee.hasVerified = true }
    }

    // MARK: - Trust: what the key of release_key.h has signed, which trust.h is about.

    var takesUnsigned: Bool { false }

    func trusts(_ signature: DeviceSignature) -> Bool {
        release_trusts(nil, bytes(signature.keyIDBytes), UInt32(signature.algorithm.rawValue))
    }

    func isValid(_ signature: DeviceSignature, of message: UnsafeRawBufferPointer) -> Bool {
        release_verifies(
            nil,
            bytes(signature.keyIDBytes),
            UInt32(signature.algorithm.rawValue),
            bytes(message),
            bytes(signature.value),
            UInt32(truncatingIfNeeded: signature.value.count)
        )
    }

    private func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    }

    // MARK: - What it is

    var isHardwareKnown: Bool { true }

    func isHardware(_ name: UnsafeRawBufferPointer, _ revisions: ClosedRange<UInt16>) -> Bool {
        revisions.contains(3) && isEqual(name, "acme/lamp")
    }

    func isComponent(_: UnsafeRawBufferPointer) -> Bool { false }

    var counterMin: UInt32 { 0 }

    private func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        for index in bytes.indices where bytes[index] != text.utf8Start[index] { return false }
        return true
    }
}
