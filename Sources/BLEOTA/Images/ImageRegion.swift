/// A range of addresses for which an Intel HEX file has data.
package struct ImageRegion: Sendable, Hashable {
    /// The address of the first byte, 0 to 2³² − 1.
    package let startAddress: UInt64
    /// The number of bytes, at least 1, including filled gaps.
    package let byteCount: Int

    /// Creates a region of `byteCount` bytes, at least one, from `startAddress`.
    package init(startAddress: UInt64, byteCount: Int) {
        precondition(byteCount > 0, "a region has at least one byte")
        self.startAddress = startAddress
        self.byteCount = byteCount
    }

    /// The first address past the end of the region.
    var endAddress: UInt64 { startAddress + UInt64(byteCount) }
}
