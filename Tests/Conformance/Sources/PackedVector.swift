/// One vector as pack.py writes it.
struct PackedVector {
    let kind: VectorKind
    let id: UnsafeRawBufferPointer
    let input: VectorInput
    /// In the words of a ``Reading``.
    let expected: UnsafeRawBufferPointer

    /// Takes the next vector off `packed`; `nil` at the end.
    init?(from packed: inout VectorInput) {
        guard !packed.isEmpty else { return nil }
        guard let kind = VectorKind(rawValue: packed.uint8()) else {
            preconditionFailure("a kind that pack.py does not write")
        }
        self.kind = kind
        let idByteCount = Int(packed.uint8())
        let inputByteCount = Int(packed.uint16())
        let expectedByteCount = Int(packed.uint32())
        id = packed.bytes(idByteCount)
        input = VectorInput(packed.bytes(inputByteCount))
        expected = packed.bytes(expectedByteCount)
    }
}
