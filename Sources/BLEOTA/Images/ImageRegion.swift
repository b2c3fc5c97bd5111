/// A stretch of addresses that an Intel HEX file gives bytes for.
package struct ImageRegion: Sendable, Hashable {
    /// The address of the first byte, 0 to 2³² − 1.
    package let startAddress: UInt64
    /// The number of bytes, at least 1, with the gaps that are filled.
    package let byteCount: Int

    /// A region of `byteCount` bytes, at least one, from `startAddress`.
    package init(startAddress: UInt64, byteCount: Int) {
        precondition(byteCount > 0, "a region has at least one byte")
        self.startAddress = startAddress
        self.byteCount = byteCount
    }

    /// The first address behind the region.
    var endAddress: UInt64 { startAddress + UInt64(byteCount) }
}
