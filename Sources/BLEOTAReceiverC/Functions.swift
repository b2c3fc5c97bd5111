import BLEOTADevice
public import CBLEOTAReceiver

// The functions of a receiver, from which bleota_receiver.h is generated. No function allocates
// memory or keeps anything outside the memory that it was given. Functions of the same receiver
// must not be called concurrently.

/// Returns the number of bytes of memory that a receiver with this setup needs: two blocks of
/// `block_byte_count_max`, but at least 1,024 bytes, plus some overhead. With blocks of 4,096
/// bytes and a slot of up to 2 MiB, the overhead is less than 1 KiB. With more memory, the
/// receiver accepts larger manifests and more blocks in flight. Returns 0 if the setup is null
/// or invalid.
@c(bleota_receiver_byte_count)
public func receiverByteCount(_ setup: UnsafePointer<bleota_setup>?) -> UInt32 {
    guard let setup else { return 0 }
    guard CHooks(setup: setup).error == BLEOTA_OK else { return 0 }
    let plan = setup.pointee.memoryPlan
    return UInt32(CReceiver.byteCount(plan))
}

/// Starts a receiver that listens, and reads the record in flash.
///
/// - Parameter memory: memory that is aligned to 8 bytes and belongs to the receiver until the
///   receiver is no longer used. There is nothing to release. A receiver may be started again in
///   the same memory at any time, except from a hook.
/// - Parameter byte_count: at least the result of `bleota_receiver_byte_count`, and less than 2
///   GiB.
/// - Parameter setup: must not change while the receiver is in use.
/// - Parameter receiver: is set to the pointer for the other functions, or to null.
/// - Returns: `BLEOTA_OK`, or the first of these errors that applies: `BLEOTA_NULL_ARGUMENT`,
///   `BLEOTA_HOOK_MISSING`, `BLEOTA_SETUP_INVALID`, `BLEOTA_FLASH_INVALID`,
///   `BLEOTA_MEMORY_MISALIGNED`, `BLEOTA_MEMORY_TOO_SMALL`, `BLEOTA_FLASH_FAILED`.
@c(bleota_receiver_start)
public func receiverStart(
    _ memory: UnsafeMutableRawPointer?,
    _ byte_count: UInt32,
    _ setup: UnsafePointer<bleota_setup>?,
    _ receiver: UnsafeMutablePointer<UnsafeMutablePointer<bleota_receiver>?>?
) -> bleota_error {
    guard let receiver else { return BLEOTA_NULL_ARGUMENT }
    receiver.pointee = nil
    guard let memory, let setup else { return BLEOTA_NULL_ARGUMENT }
    let error = CHooks(setup: setup).error
    guard error == BLEOTA_OK else { return error }
    let plan = setup.pointee.memoryPlan
    guard UInt(bitPattern: memory) & 7 == 0 else { return BLEOTA_MEMORY_MISALIGNED }
    let byteCount = Int(truncatingIfNeeded: byte_count)
    guard byteCount >= CReceiver.byteCount(plan) else { return BLEOTA_MEMORY_TOO_SMALL }
    do throws(FlashFault) {
        try CReceiver.start(in: memory, byteCount, plan, setup)
        receiver.pointee = memory.assumingMemoryBound(to: bleota_receiver.self)
        return BLEOTA_OK
    } catch {
        return BLEOTA_FLASH_FAILED
    }
}

/// Handles a control frame from the link. A damaged or unexpected frame is dropped without an
/// error.
///
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED` or
///   `BLEOTA_CALLED_FROM_HOOK`.
@c(bleota_receiver_take_control)
public func receiverTakeControl(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ frame: UnsafeRawPointer?,
    _ byte_count: UInt32
) -> bleota_error {
    guard let frame else { return BLEOTA_NULL_ARGUMENT }
    return CReceiver.use(receiver) { receiver in
        guard byte_count <= CReceiver.frameByteCountMax else { return BLEOTA_OK }
        let frame = UnsafeRawBufferPointer(start: frame, count: Int(byte_count))
        receiver.receive(control: frame.bytes)
        return BLEOTA_OK
    }
}

/// Handles a data frame from the link, and copies its payload to its place in memory. The flash is
/// not accessed before `bleota_receiver_run`. A damaged or unexpected frame is dropped without an
/// error.
///
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED` or
///   `BLEOTA_CALLED_FROM_HOOK`.
@c(bleota_receiver_take_data)
public func receiverTakeData(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ frame: UnsafeRawPointer?,
    _ byte_count: UInt32
) -> bleota_error {
    guard let frame else { return BLEOTA_NULL_ARGUMENT }
    return CReceiver.use(receiver) { receiver in
        guard byte_count <= CReceiver.frameByteCountMax else { return BLEOTA_OK }
        let frame = UnsafeRawBufferPointer(start: frame, count: Int(byte_count))
        receiver.receive(data: frame.bytes)
        return BLEOTA_OK
    }
}

/// Sends the frames that are due, and performs one step of the work on the flash. A step erases
/// at most one page, and reads, hashes and programs at most one block. The step that judges a
/// manifest and the one that ends a transfer also write the record.
///
/// - Parameter wait_microseconds: is set to the time until the next call if no frame arrives. 0
///   means that the function must be called again at once, and 4,294,967,295 (71 minutes)
///   stands for any longer time and for no limit. The pointer may be null.
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED` or
///   `BLEOTA_CALLED_FROM_HOOK`.
@c(bleota_receiver_run)
public func receiverRun(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ wait_microseconds: UnsafeMutablePointer<UInt32>?
) -> bleota_error {
    CReceiver.use(receiver) { receiver in
        let wait = receiver.run().map { UInt32(clamping: $0.rawValue) } ?? .max
        wait_microseconds?.pointee = wait
        return BLEOTA_OK
    }
}

/// Asks the peer to send an image by its name.
///
/// - Parameter name_tag: the first 8 bytes of the SHA-256 of the image's name in UTF-8.
/// - Parameter session: a number from 0 to 65,535, chosen at random for each request.
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED`,
///   `BLEOTA_CALLED_FROM_HOOK`, `BLEOTA_ARGUMENT_INVALID`, or `BLEOTA_NOT_NOW` unless the
///   receiver is idle.
@c(bleota_receiver_request)
public func receiverRequest(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ name_tag: UnsafePointer<UInt8>?,
    _ session: UInt32
) -> bleota_error {
    guard let name_tag else { return BLEOTA_NULL_ARGUMENT }
    return CReceiver.use(receiver) { receiver in
        guard let session = UInt16(exactly: session) else { return BLEOTA_ARGUMENT_INVALID }
        let isRequested = receiver.request(
            TransferTag(rawValue: number(at: name_tag)),
            session: SessionNumber(session)
        )
        return isRequested ? BLEOTA_OK : BLEOTA_NOT_NOW
    }
}

/// Ends the session if there is one. The receiver sends the reason to the sender and keeps the
/// durable data.
///
/// - Parameter reason: a `bleota_reason` from 1 to 65,535, such as BLEOTA_REASON_NOT_NOW.
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED`,
///   `BLEOTA_CALLED_FROM_HOOK` or `BLEOTA_ARGUMENT_INVALID`.
@c(bleota_receiver_give_up)
public func receiverGiveUp(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ reason: UInt32
) -> bleota_error {
    CReceiver.use(receiver) { receiver in
        guard let reason = UInt16(exactly: reason), reason > 0 else {
            return BLEOTA_ARGUMENT_INVALID
        }
        receiver.abort(Reason(rawValue: reason))
        return BLEOTA_OK
    }
}

/// Sets the answer for senders that ask which image is running. Before the first call, the
/// answer is `BLEOTA_RUNNING_UNKNOWN`.
///
/// - Parameter tag: the first 8 bytes of the SHA-256 of the running image, or null if it is
///   unknown.
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED`,
///   `BLEOTA_CALLED_FROM_HOOK` or `BLEOTA_ARGUMENT_INVALID`.
@c(bleota_receiver_set_running)
public func receiverSetRunning(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ state: bleota_running,
    _ tag: UnsafePointer<UInt8>?
) -> bleota_error {
    CReceiver.use(receiver) { receiver in
        guard let state = UInt8(exactly: state.rawValue).flatMap(RunningState.init) else {
            return BLEOTA_ARGUMENT_INVALID
        }
        receiver.setRunning(.init(state: state, runningTag: tag.map(number) ?? 0))
        return BLEOTA_OK
    }
}

/// Answers a control frame from the link if it asks for a signed receipt, for a device that has a
/// key of its own. Call this function with each control frame, in addition to
/// `bleota_receiver_take_control`.
///
/// - Parameter receipts: the data that the device states. Its members `proof` and
///   `proof_byte_count` are set to the frame to send, which has no byte if there is none.
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED`,
///   `BLEOTA_CALLED_FROM_HOOK`, or `BLEOTA_ARGUMENT_INVALID` if the algorithm or
///   `control_byte_count_max` is out of range.
@c(bleota_receiver_prove)
public func receiverProve(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ receipts: UnsafeMutablePointer<bleota_receipts>?,
    _ frame: UnsafeRawPointer?,
    _ byte_count: UInt32
) -> bleota_error {
    guard let frame, let receipts, receipts.pointee.sign != nil,
        receipts.pointee.public_key != nil
    else { return BLEOTA_NULL_ARGUMENT }
    receipts.pointee.proof_byte_count = 0
    return CReceiver.use(receiver) { receiver in
        guard let statement = receipts.statement, let limit = receipts.frameByteCountMax else {
            return BLEOTA_ARGUMENT_INVALID
        }
        guard byte_count <= CReceiver.frameByteCountMax else { return BLEOTA_OK }
        let frame = UnsafeRawBufferPointer(start: frame, count: Int(byte_count))
        var output = receipts.room.mutableBytes
        let count = receiver.writeProof(
            answering: frame.bytes,
            statement,
            frameByteCountMax: limit,
            into: &output
        ) { message, signature in
            receipts.pointee.sign.unsafelyUnwrapped(
                receipts.pointee.context,
                message.assumingMemoryBound(to: UInt8.self).baseAddress,
                signature.assumingMemoryBound(to: UInt8.self).baseAddress
            )
        }
        receipts.pointee.proof_byte_count = UInt32(truncatingIfNeeded: count)
        return BLEOTA_OK
    }
}

/// Reports the status of a receiver.
///
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_NOT_STARTED` or
///   `BLEOTA_CALLED_FROM_HOOK`.
@c(bleota_receiver_status)
public func receiverStatus(
    _ receiver: UnsafeMutablePointer<bleota_receiver>?,
    _ status: UnsafeMutablePointer<bleota_status>?
) -> bleota_error {
    guard let status else { return BLEOTA_NULL_ARGUMENT }
    return CReceiver.use(receiver) { receiver in
        status.pointee = bleota_status(
            phase: bleota_phase(receiver.currentPhase),
            last_ending: receiver.lastEnding?.rawValue ?? .max,
            durable_byte_count: receiver.durableByteCount,
            image_byte_count: receiver.imageByteCount
        )
        return BLEOTA_OK
    }
}

/// Reads the newest record without a receiver. A boot loader can use it with a setup that has
/// only the hook `read` and the layout of the flash.
///
/// - Returns: `BLEOTA_OK`, `BLEOTA_NULL_ARGUMENT`, `BLEOTA_HOOK_MISSING`,
///   `BLEOTA_FLASH_INVALID`, `BLEOTA_FLASH_FAILED` or `BLEOTA_NO_RECORD`.
@c(bleota_read_record)
public func readRecord(
    _ setup: UnsafePointer<bleota_setup>?,
    _ record: UnsafeMutablePointer<bleota_record>?
) -> bleota_error {
    guard let setup, let record else { return BLEOTA_NULL_ARGUMENT }
    guard setup.pointee.hooks.read != nil else { return BLEOTA_HOOK_MISSING }
    guard setup.pointee.layout.isValid else { return BLEOTA_FLASH_INVALID }
    do throws(FlashFault) {
        let newest = try SlotRecord(of: CHooks(setup: setup))
        record.pointee = bleota_record(newest)
        return newest.sequence > 0 ? BLEOTA_OK : BLEOTA_NO_RECORD
    } catch {
        return BLEOTA_FLASH_FAILED
    }
}

/// Writes the service data under the UUID of the bleota service, with which a device advertises the
/// firmware that it runs: a byte of flags, and the version.
///
/// - Parameter version: the version of the running firmware in UTF-8; null or empty if it is
///   unknown. It is left out if it does not fit.
/// - Parameter data: where the data is to be written.
/// - Parameter byte_count: the number of bytes that fit there. In an advertisement that does not
///   list the UUID of the service, there is room for 10 bytes, and in a scan response without a
///   name for 13.
/// - Returns: the number of bytes written, or 0 if there is no room.
@c(bleota_service_data)
public func serviceData(
    _ version: UnsafePointer<CChar>?,
    _ wants_update: Bool,
    _ data: UnsafeMutablePointer<UInt8>?,
    _ byte_count: UInt32
) -> UInt32 {
    guard let data, byte_count > 0 else { return 0 }
    data[0] = wants_update ? 0x81 : 0x80
    guard let version else { return 1 }
    var count: UInt32 = 0
    while version[Int(count)] != 0 {
        //= ADV-3: A device MUST leave out a version that does not fit, and MUST NOT shorten it.
        guard count &+ 1 < byte_count else { return 1 }
        count &+= 1
        data[Int(count)] = UInt8(bitPattern: version[Int(count &- 1)])
    }
    return count &+ 1
}

/// Returns a description of an error in English, as a static string.
@c(bleota_error_name)
public func errorName(_ error: bleota_error) -> UnsafePointer<CChar> {
    let name: StaticString =
        switch error {
        case BLEOTA_OK: "no error"
        case BLEOTA_NULL_ARGUMENT: "a pointer is null"
        case BLEOTA_MEMORY_MISALIGNED: "the memory is not aligned to 8 bytes"
        case BLEOTA_MEMORY_TOO_SMALL: "the memory is too small"
        case BLEOTA_HOOK_MISSING: "a hook is missing"
        case BLEOTA_FLASH_INVALID: "the layout of the flash is not valid"
        case BLEOTA_SETUP_INVALID: "a number in the setup is out of range"
        case BLEOTA_NOT_STARTED: "the receiver was not started"
        case BLEOTA_CALLED_FROM_HOOK: "a hook called the receiver"
        case BLEOTA_ARGUMENT_INVALID: "an argument is out of range"
        case BLEOTA_NOT_NOW: "not possible in this state"
        case BLEOTA_NO_RECORD: "the flash has no record"
        case BLEOTA_FLASH_FAILED: "the flash can't be read"
        default: "not an error code of this library"
        }
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func number(at bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
}

extension bleota_phase {
    fileprivate init(_ phase: ReceiverPhase) {
        self =
            switch phase {
            case .idle: BLEOTA_PHASE_IDLE
            case .requesting: BLEOTA_PHASE_REQUESTING
            case .lookingUp: BLEOTA_PHASE_LOOKING_UP
            case .receiving(.image): BLEOTA_PHASE_RECEIVING_IMAGE
            case .receiving: BLEOTA_PHASE_RECEIVING_MANIFEST
            case .judging: BLEOTA_PHASE_JUDGING
            case .verifying: BLEOTA_PHASE_VERIFYING
            case .finished: BLEOTA_PHASE_FINISHED
            }
    }
}

extension bleota_record {
    fileprivate init(_ record: SlotRecord) {
        self.init()
        sequence = record.sequence
        counter = record.counter
        slot_address = record.slotAddress
        image_byte_count = record.imageByteCount
        withUnsafeMutableBytes(of: &image_sha256) { bytes in
            bytes.storeBytes(of: record.imageSHA256.words, as: InlineArray<8, UInt32>.self)
        }
    }
}
