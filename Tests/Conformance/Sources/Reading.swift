/// What a vector is read as, in words, and held against the expected words as they come.
struct Reading {
    private let expected: UnsafeRawBufferPointer
    /// Which bytes to show, to say how a vector failed; as a rule none.
    private let shown: Range<Int>
    private var position = 0
    /// The first byte that is not as expected.
    private(set) var difference: Int?
    /// Of all the words and notes (FNV-1a): two machines that read alike have the same.
    private(set) var digest: UInt32 = 0x811C_9DC5

    init(expecting expected: UnsafeRawBufferPointer, showing shown: Range<Int> = 0..<0) {
        self.expected = expected
        self.shown = shown
    }

    /// Ends the words: more may not be expected.
    mutating func end() {
        if difference == nil, position != expected.count { difference = position }
    }

    mutating func say(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { put(text.utf8Start[index]) }
    }

    /// Says ` name=` and a number.
    mutating func field(_ name: StaticString, _ number: some UnsignedInteger & FixedWidthInteger) {
        begin(name)
        decimal(UInt64(number))
    }

    mutating func field(_ name: StaticString, _ number: Int) { field(name, UInt64(number)) }

    mutating func field(_ name: StaticString, _ word: StaticString) {
        begin(name)
        say(word)
    }

    /// Says a number of 64 bits in hex.
    mutating func field(_ name: StaticString, hex number: UInt64) {
        begin(name)
        hex(number)
    }

    mutating func field(_ name: StaticString, _ bytes: RawSpan) {
        begin(name)
        for offset in bytes.byteOffsets {
            hexByte(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
    }

    /// Says a number of 64 bits as the bytes that travel.
    mutating func field(_ name: StaticString, littleEndian number: UInt64) {
        begin(name)
        for index in 0..<8 { hexByte(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    mutating func begin(_ name: StaticString) {
        put(UInt8(ascii: " "))
        say(name)
        put(UInt8(ascii: "="))
    }

    mutating func decimal(_ number: UInt64) {
        Digits.ofDecimal(number) { put($0) }
    }

    mutating func hex(_ number: UInt64) {
        say("0x")
        for index in (0..<8).reversed() {
            hexByte(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
    }

    mutating func hexByte(_ byte: UInt8) {
        Digits.ofHex(UInt64(byte), count: 2) { put($0) }
    }

    /// Takes something into the digest that no vector states, such as where a fault is.
    mutating func note(_ number: Int) {
        var left = UInt32(truncatingIfNeeded: number)
        for _ in 0..<4 {
            digestByte(UInt8(truncatingIfNeeded: left))
            left >>= 8
        }
    }

    private mutating func put(_ byte: UInt8) {
        if difference == nil, position >= expected.count || expected[position] != byte {
            difference = position
        }
        if shown.contains(position) { Output.write(byte) }
        position += 1
        digestByte(byte)
    }

    private mutating func digestByte(_ byte: UInt8) {
        digest = (digest ^ UInt32(byte)) &* 0x0100_0193
    }
}
