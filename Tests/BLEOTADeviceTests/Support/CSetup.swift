import BLEOTADevice
import BLEOTAManifest
import BLEOTAReceiverC
import CBLEOTAReceiver

/// A setup of C for a board, which stays where it is.
final class CSetup {
    let board: Board
    let pointer: UnsafeMutablePointer<bleota_setup>
    private var texts: [UnsafeMutablePointer<CChar>] = []

    init(_ board: Board) {
        self.board = board
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: bleota_setup())
        pointer.pointee.hooks = Self.hooks(board)
        let layout = board.flash.layout
        pointer.pointee.flash = bleota_flash(
            page_byte_count: layout.pageByteCount,
            write_byte_count: layout.writeByteCount,
            slot_address: layout.slot.lowerBound,
            slot_byte_count: UInt32(layout.slot.count),
            manifest_address: layout.manifest.lowerBound,
            manifest_byte_count: UInt32(layout.manifest.count),
            record_address: layout.records.lowerBound
        )
        pointer.pointee.takes_unsigned = board.takesUnsigned
        pointer.pointee.counter_min = board.counterMin
        if let hardware = board.hardware {
            pointer.pointee.hardware = text(Array(hardware.name.utf8))
            pointer.pointee.revision = hardware.revision
        }
        pointer.pointee.component = board.component.map { text(Array($0.utf8)) }
    }

    deinit {
        for text in texts { text.deallocate() }
        pointer.deallocate()
    }

    /// Bytes with a zero after them.
    func text(_ bytes: [UInt8]) -> UnsafePointer<CChar> {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
        text[bytes.count] = 0
        texts.append(text)
        return UnsafePointer(text)
    }

    /// Nothing of them is captured: the context is the board.
    private static func hooks(_ board: Board) -> bleota_hooks {
        var hooks = bleota_hooks()
        hooks.context = Unmanaged.passUnretained(board).toOpaque()
        hooks.read = { context, address, bytes, byteCount in
            let bytes = UnsafeMutableRawBufferPointer(start: bytes, count: Int(byteCount))
            return Board.of(context).read(address, into: bytes) ? 0 : -5
        }
        hooks.write = { context, address, bytes, byteCount in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(byteCount))
            return Board.of(context).write(bytes, at: address) ? 0 : -5
        }
        hooks.erase = { context, address in Board.of(context).erase(address) ? 0 : -5 }
        hooks.send = { context, frame, byteCount in
            Board.of(context).send(
                Array(UnsafeRawBufferPointer(start: frame, count: Int(byteCount)))
            )
        }
        hooks.trusts = { context, keyID, algorithm in
            Board.of(context).trusts(
                KeyID(rawValue: Board.number(keyID)),
                SignatureAlgorithm(rawValue: UInt8(algorithm))
            )
        }
        hooks.verify = { context, keyID, algorithm, message, signature, byteCount in
            Board.of(context).isSignature(
                Array(UnsafeBufferPointer(start: signature, count: Int(byteCount))),
                of: Array(UnsafeBufferPointer(start: message, count: 48)),
                by: KeyID(rawValue: Board.number(keyID)),
                SignatureAlgorithm(rawValue: UInt8(algorithm))
            )
        }
        hooks.now = { UInt64(Board.of($0).now().microseconds) }
        hooks.log = { Board.of($0).note($1, $2) }
        return hooks
    }
}

extension Board {
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> Board {
        Unmanaged<Board>.fromOpaque(context!).takeUnretainedValue()
    }

    fileprivate static func number(_ bytes: UnsafePointer<UInt8>?) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes!).loadUnaligned(as: UInt64.self))
    }

    fileprivate func note(_ event: bleota_event, _ number: UInt32) {
        switch event {
        case BLEOTA_EVENT_OPENED: log(.opened(manifestByteCount: number))
        case BLEOTA_EVENT_RESUMED: log(.resumed(heldByteCount: number))
        case BLEOTA_EVENT_DURABLE: log(.durable(byteCount: number))
        case BLEOTA_EVENT_BLOCK_REJECTED: log(.blockRejected(number))
        case BLEOTA_EVENT_FLASH_FAILED:
            log(.flashFailed(FlashFault(code: Int32(bitPattern: number))))
        case BLEOTA_EVENT_ENDED: log(.ended(Reason(rawValue: UInt16(number))))
        default: preconditionFailure("an event that is none: \(event)")
        }
    }
}
