/// The flash of a device. After a hook has failed, all further operations are ignored until the
/// fault is cleared. A caller can therefore safely run a sequence of operations without checking
/// each one.
struct Flash<Hooks: DeviceHooks> {
    let hooks: Hooks
    /// The fault of the hook that failed, if any.
    var fault: FlashFault?

    /// The layout of the flash. It is read from the hooks each time, because a copy would take 28
    /// bytes and the code to make it.
    @inline(__always)
    var layout: FlashLayout { hooks.layout }

    /// - Returns: whether the bytes were read.
    @inline(never)
    mutating func read(_ address: UInt32, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard fault == nil else { return false }
        do throws(FlashFault) {
            try hooks.read(address, into: bytes)
            return true
        } catch {
            fault = error
            return false
        }
    }

    @inline(never)
    mutating func write(_ bytes: UnsafeRawBufferPointer, at address: UInt32) {
        guard fault == nil else { return }
        do throws(FlashFault) { try hooks.write(bytes, at: address) } catch { fault = error }
    }

    @inline(never)
    mutating func erase(pageAt address: UInt32) {
        guard fault == nil else { return }
        do throws(FlashFault) { try hooks.erase(pageAt: address) } catch { fault = error }
    }
}
