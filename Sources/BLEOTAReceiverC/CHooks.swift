import BLEOTADevice
import BLEOTAManifest
import CBLEOTAReceiver

/// The hooks of a setup, which its owner must not change.
struct CHooks: DeviceHooks {
    let setup: UnsafePointer<bleota_setup>

    /// The layout in the setup, which has been checked before any use.
    @inline(__always)
    var layout: FlashLayout { setup.pointee.layout }

    /// The error in the setup, or `BLEOTA_OK` if the setup is valid.
    ///
    /// Not inlined: as a separate function, it has its own register allocation, which makes the
    /// code smaller.
    @inline(never)
    var error: bleota_error { setup.pointee.error }

    private var hooks: bleota_hooks { setup.pointee.hooks }

    func read(
        _ address: UInt32,
        into bytes: UnsafeMutableRawBufferPointer
    ) throws(FlashFault) {
        try check(
            hooks.read.unsafelyUnwrapped(
                hooks.context,
                address,
                bytes.baseAddress,
                UInt32(bytes.count)
            )
        )
    }

    func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) throws(FlashFault) {
        try check(
            hooks.write.unsafelyUnwrapped(
                hooks.context,
                address,
                bytes.baseAddress,
                UInt32(bytes.count)
            )
        )
    }

    func erase(pageAt address: UInt32) throws(FlashFault) {
        try check(hooks.erase.unsafelyUnwrapped(hooks.context, address))
    }

    private func check(_ code: Int32) throws(FlashFault) {
        if code != 0 { throw FlashFault(code: code) }
    }

    func send(_ frame: UnsafeRawBufferPointer) -> Bool {
        hooks.send.unsafelyUnwrapped(hooks.context, frame.baseAddress, UInt32(frame.count))
    }

    func now() -> Instant {
        Instant(microseconds: Int64(bitPattern: hooks.now.unsafelyUnwrapped(hooks.context)))
    }

    func log(_ event: DeviceEvent) {
        guard let log = hooks.log else { return }
        let (kind, number): (bleota_event, UInt32) =
            switch event {
            case .opened(let byteCount): (BLEOTA_EVENT_OPENED, byteCount)
            case .resumed(let byteCount): (BLEOTA_EVENT_RESUMED, byteCount)
            case .durable(let byteCount): (BLEOTA_EVENT_DURABLE, byteCount)
            case .blockRejected(let block): (BLEOTA_EVENT_BLOCK_REJECTED, block)
            case .flashFailed(let fault):
                (BLEOTA_EVENT_FLASH_FAILED, UInt32(bitPattern: fault.code))
            case .ended(let reason): (BLEOTA_EVENT_ENDED, UInt32(reason.rawValue))
            }
        log(hooks.context, kind, number)
    }

    // MARK: - Trust

    var takesUnsigned: Bool { setup.pointee.takes_unsigned }

    func trusts(_ signature: DeviceSignature) -> Bool {
        guard let trusts = hooks.trusts else { return false }
        return trusts(
            hooks.context,
            signature.keyIDBytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt32(signature.algorithm.rawValue)
        )
    }

    func isValid(_ signature: DeviceSignature, of message: UnsafeRawBufferPointer) -> Bool {
        // If `trusts` is set, this hook is also set.
        hooks.verify.unsafelyUnwrapped(
            hooks.context,
            signature.keyIDBytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt32(signature.algorithm.rawValue),
            message.assumingMemoryBound(to: UInt8.self).baseAddress,
            signature.value.assumingMemoryBound(to: UInt8.self).baseAddress,
            UInt32(truncatingIfNeeded: signature.value.count)
        )
    }

    // MARK: - Identity

    var isHardwareKnown: Bool { setup.pointee.hardware != nil }

    func isHardware(_ name: UnsafeRawBufferPointer, _ revisions: ClosedRange<UInt16>) -> Bool {
        revisions.contains(setup.pointee.revision) && name.isText(setup.pointee.hardware)
    }

    func isComponent(_ name: UnsafeRawBufferPointer) -> Bool {
        name.isText(setup.pointee.component)
    }

    var counterMin: UInt32 { setup.pointee.counter_min }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes equal a C string. The result is false if the string is null or if
    /// the bytes contain a zero byte.
    ///
    /// Not inlined, because two names are compared.
    @inline(never)
    fileprivate func isText(_ text: UnsafePointer<CChar>?) -> Bool {
        guard let name = baseAddress?.assumingMemoryBound(to: CChar.self), let text else {
            return false
        }
        var index = 0
        while index < count {
            guard name[index] != 0, name[index] == text[index] else { return false }
            index &+= 1
        }
        return text[index] == 0
    }
}
