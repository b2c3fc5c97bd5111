/// Reads bytes from front to back. They come from pack.py, so that a wrong one is a mistake of
/// ours, and traps.
struct VectorInput {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        precondition(count <= rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    /// All that is left.
    mutating func remainder() -> UnsafeRawBufferPointer { bytes(rest.count) }

    /// Bytes after a u16 with their count.
    mutating func counted() -> UnsafeRawBufferPointer { bytes(Int(uint16())) }

    mutating func bool() -> Bool { uint8() != 0 }
    mutating func uint8() -> UInt8 { bytes(1)[0] }
    mutating func uint16() -> UInt16 { number() }
    mutating func uint32() -> UInt32 { number() }
    mutating func uint64() -> UInt64 { number() }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        Number(littleEndian: bytes(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
    }
}
