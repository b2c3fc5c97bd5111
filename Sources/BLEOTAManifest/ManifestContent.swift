/// What is in the value of an attribute, as far as it has rules of its own.
enum ManifestContent: UInt8, BitwiseCopyable {
    case other
    case text
    /// A text without a slash.
    case name
    /// The revisions, and a text with a slash.
    case hardware
    case encoding
    case seal

    /// Where in the value a text begins, which goes on to its end.
    var textOffset: Int { self == .hardware ? ManifestLayout.hardwareName : 0 }
}
