/// The kind of content in an attribute's value, if special rules apply to it.
enum ManifestContent: UInt8, BitwiseCopyable {
    case other
    case text
    /// A string without a slash.
    case name
    /// Two revisions, then a string with one slash.
    case hardware
    case encoding
    case seal

    /// The offset of the text, which extends to the end of the value.
    var textOffset: Int { self == .hardware ? ManifestLayout.hardwareName : 0 }
}
