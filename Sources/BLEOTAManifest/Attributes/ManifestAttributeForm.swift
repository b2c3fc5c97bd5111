/// The form of an attribute's value (spec/registry.md).
struct ManifestAttributeForm: BitwiseCopyable {
    /// The difference between consecutive valid lengths, or 0 if the type is unknown.
    private let step: UInt8
    private let shortest: UInt8
    /// The difference between the longest and the shortest value.
    private let range: UInt8
    let content: ManifestContent

    fileprivate init(
        _ shortest: UInt8,
        _ longest: UInt8,
        step: UInt8 = 1,
        _ content: ManifestContent = .other
    ) {
        self.shortest = shortest
        range = longest - shortest
        self.step = step
        self.content = content
    }

    /// Looks up the form of a type. Returns `nil` if the type is unknown.
    init?(of type: ManifestAttributeType) {
        // Known types have no bits set except bit 7 and the lowest three.
        guard type.rawValue & 0x78 == 0 else { return nil }
        self = forms[Self.index(of: type)]
        guard step > 0 else { return nil }
    }

    /// Returns the index of the form of a known type: 0 to 7, or 8 to 15 for the types 0x80 to
    /// 0x87.
    static func index(of type: ManifestAttributeType) -> Int {
        Int(type.rawValue) & 7 | Int(type.rawValue) >> 4 & 8
    }

    /// The lengths of the shortest and the longest value.
    var byteCounts: ClosedRange<Int> { Int(shortest)...Int(shortest) + Int(range) }

    /// Whether a value can have this length.
    func allows(byteCount: Int) -> Bool {
        // As an unsigned number, a negative difference exceeds every range.
        let excess = UInt(bitPattern: byteCount &- Int(shortest))
        return excess <= range && UInt8(truncatingIfNeeded: excess) % step == 0
    }
}

/// The forms of the types 0x00 to 0x07, then of 0x80 to 0x87. On a microcontroller, a table
/// takes less code than a `switch`.
private let forms: InlineArray<16, ManifestAttributeForm> = [
    unknownForm,
    ManifestAttributeForm(1, 255, .name),  // name
    ManifestAttributeForm(1, 64, .text),  // version
    ManifestAttributeForm(8, 8),  // load address
    ManifestAttributeForm(4, 63 * 4, step: 4),  // sketch
    unknownForm,
    unknownForm,
    unknownForm,

    unknownForm,
    ManifestAttributeForm(4 + 3, 4 + 64, .hardware),  // hardware
    ManifestAttributeForm(1, 64, .text),  // component
    ManifestAttributeForm(4, 4),  // counter
    ManifestAttributeForm(8, 8),  // expiry
    ManifestAttributeForm(37, 37, .encoding),  // encoding
    ManifestAttributeForm(32, 32),  // base
    ManifestAttributeForm(32 + 56, 32 + 3 * 56, step: 56, .seal),  // seal
]

private var unknownForm: ManifestAttributeForm { ManifestAttributeForm(0, 0, step: 0) }
