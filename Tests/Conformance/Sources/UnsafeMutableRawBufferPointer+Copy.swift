extension UnsafeMutableRawBufferPointer {
    /// Puts bytes at an offset; there has to be room for them.
    func copy(_ bytes: RawSpan, to offset: Int) {
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: self[offset..<offset + bytes.count])
                .copyMemory(from: bytes)
        }
    }
}
