/// What the value of an attribute looks like (spec/registry.md).
struct ManifestAttributeForm: BitwiseCopyable {
    private let shortest: UInt8
    private let longest: UInt8
    /// By how much one length is more than the one before; 0 where the type is unknown.
    private let step: UInt8
    private let textStart: UInt8

    fileprivate static var noText: UInt8 { 255 }

    /// - Parameter textStart: where in the value a text begins.
    fileprivate init(
        _ shortest: UInt8,
        _ longest: UInt8,
        step: UInt8 = 1,
        textStart: UInt8 = noText
    ) {
        self.shortest = shortest
        self.longest = longest
        self.step = step
        self.textStart = textStart
    }

    /// The form of a type; `nil` if it is unknown.
    init?(of type: ManifestAttributeType) {
        // All that are known have no bit set but bit 7 and the lower three.
        guard type.rawValue & 0x78 == 0 else { return nil }
        self = forms[Int(type.rawValue & 7 | type.rawValue >> 4)]
        guard step > 0 else { return nil }
    }

    /// The shortest and the longest value.
    var byteCounts: ClosedRange<Int> { Int(shortest)...Int(longest) }

    /// Where in the value a text begins, which goes on to its end; `nil` where there is none.
    var textOffset: Int? { textStart == Self.noText ? nil : Int(textStart) }

    /// Whether a value can have this length.
    func allows(byteCount: Int) -> Bool {
        byteCount >= Int(shortest) && byteCount <= Int(longest)
            && UInt8(truncatingIfNeeded: byteCount &- Int(shortest)) % step == 0
    }
}

/// The forms of types 0 to 7, then those of 0x80 to 0x87: a table, because it is less code in a
/// microcontroller than a `switch`.
private let forms: InlineArray<16, ManifestAttributeForm> = [
    unknownForm,
    ManifestAttributeForm(1, 255, textStart: 0),  // name
    ManifestAttributeForm(1, 64, textStart: 0),  // version
    ManifestAttributeForm(8, 8),  // load address
    ManifestAttributeForm(4, 63 * 4, step: 4),  // sketch
    unknownForm,
    unknownForm,
    unknownForm,

    unknownForm,
    ManifestAttributeForm(4 + 3, 4 + 64, textStart: 4),  // hardware
    ManifestAttributeForm(1, 64, textStart: 0),  // component
    ManifestAttributeForm(4, 4),  // counter
    ManifestAttributeForm(8, 8),  // expiry
    ManifestAttributeForm(37, 37),  // encoding
    ManifestAttributeForm(32, 32),  // base
    ManifestAttributeForm(32 + 56, 32 + 3 * 56, step: 56),  // seal
]

private var unknownForm: ManifestAttributeForm { ManifestAttributeForm(0, 0, step: 0) }
