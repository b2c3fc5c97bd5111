import BLEOTADevice
import BLEOTAManifest

/// What is around a receiver on a device: the flash, the link, the time, and what it is.
final class Board {
    /// What a hook is.
    enum Hook: CaseIterable { case read, write, erase, send, now, log, trusts, verify }

    let flash: NORFlash
    let clock: TestClock

    // What it is.
    var takesUnsigned = true
    var keys: [TestKey] = []
    var hardware: (name: String, revision: UInt16)?
    var component: String?
    var counterMin: UInt32 = 0

    // What happens to it.
    /// Which of the calls that may fail does, once, by their count before it; and whether what it
    /// was to do is done all the same.
    var failure: (call: Int, isDone: Bool)?
    private(set) var fallibleCallCount = 0
    /// Whether the link has no room for a frame.
    var refuses: ((_ frame: [UInt8]) -> Bool)?
    /// Called within every hook.
    var onHook: ((Hook) -> Void)?
    var onFrame: (([UInt8]) -> Void)?
    private(set) var events: [DeviceEvent] = []

    init(_ flash: NORFlash) {
        self.flash = flash
        clock = flash.clock
    }

    func forgetEvents() { events = [] }

    // MARK: - Hooks

    private func attempt(_ body: () -> Bool) -> Bool {
        defer { fallibleCallCount += 1 }
        guard let failure, failure.call == fallibleCallCount else { return body() }
        if failure.isDone { _ = body() }
        return false
    }

    func read(_ address: UInt32, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        onHook?(.read)
        return attempt { flash.read(address, into: bytes) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) -> Bool {
        onHook?(.write)
        return attempt { flash.write(bytes, at: address) }
    }

    func erase(_ address: UInt32) -> Bool {
        onHook?(.erase)
        return attempt { flash.erase(address) }
    }

    func send(_ frame: [UInt8]) -> Bool {
        onHook?(.send)
        guard flash.isPowered else { return false }
        if let refuses, refuses(frame) { return false }
        onFrame?(frame)
        return true
    }

    func now() -> Instant {
        onHook?(.now)
        return clock.now
    }

    func log(_ event: DeviceEvent) {
        onHook?(.log)
        events.append(event)
    }

    func trusts(_ id: KeyID, _ algorithm: SignatureAlgorithm) -> Bool {
        onHook?(.trusts)
        return keys.contains { $0.id == id && $0.algorithm == algorithm }
    }

    func isSignature(
        _ signature: [UInt8],
        of message: [UInt8],
        by id: KeyID,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        onHook?(.verify)
        return keys.contains {
            $0.id == id && $0.algorithm == algorithm && $0.isSignature(signature, of: message)
        }
    }
}

/// The hooks of a board in Swift.
struct BoardHooks: DeviceHooks {
    static var fault: FlashFault { FlashFault(code: -5) }

    let board: Board

    var layout: FlashLayout { board.flash.layout }

    func read(_ address: UInt32, into bytes: UnsafeMutableRawBufferPointer) throws(FlashFault) {
        guard board.read(address, into: bytes) else { throw Self.fault }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) throws(FlashFault) {
        guard board.write(bytes, at: address) else { throw Self.fault }
    }

    func erase(pageAt address: UInt32) throws(FlashFault) {
        guard board.erase(address) else { throw Self.fault }
    }

    func send(_ frame: UnsafeRawBufferPointer) -> Bool { board.send(Array(frame)) }
    func now() -> Instant { board.now() }
    func log(_ event: DeviceEvent) { board.log(event) }

    var takesUnsigned: Bool { board.takesUnsigned }

    func trusts(_ signature: DeviceSignature) -> Bool {
        board.trusts(signature.keyID, signature.algorithm)
    }

    func isValid(_ signature: DeviceSignature, of message: UnsafeRawBufferPointer) -> Bool {
        board.isSignature(
            Array(signature.value),
            of: Array(message),
            by: signature.keyID,
            signature.algorithm
        )
    }

    var isHardwareKnown: Bool { board.hardware != nil }

    func isHardware(_ name: UnsafeRawBufferPointer, _ revisions: ClosedRange<UInt16>) -> Bool {
        guard let hardware = board.hardware else { return false }
        return name.elementsEqual(hardware.name.utf8) && revisions.contains(hardware.revision)
    }

    func isComponent(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let component = board.component else { return false }
        return name.elementsEqual(component.utf8)
    }

    var counterMin: UInt32 { board.counterMin }
}
