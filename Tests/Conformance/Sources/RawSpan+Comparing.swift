extension RawSpan {
    func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for offset in byteOffsets {
            let left = unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            let right = other.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if left != right { return false }
        }
        return true
    }
}
