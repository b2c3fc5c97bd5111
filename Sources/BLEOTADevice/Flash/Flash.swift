/// A flash that is asked for nothing more once a hook failed, until the fault is taken. So who has
/// several things to do goes on to the end without a look after each, and does no harm.
struct Flash<Hooks: DeviceHooks> {
    let hooks: Hooks
    /// What failed.
    var fault: FlashFault?

    /// Read where the hooks have it: one more here would take 28 bytes, and the code to copy it.
    @inline(__always)
    var layout: FlashLayout { hooks.layout }

    /// - Returns: whether it is done.
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
