/// Which text is in the value of an attribute.
enum ManifestTextForm: UInt8, BitwiseCopyable {
    /// There is none.
    case none
    case any
    /// One without a slash.
    case name
    /// One with a slash, after the revisions.
    case hardware

    /// Where in the value it begins; it goes on to its end.
    var byteOffset: Int { self == .hardware ? ManifestLayout.hardwareName : 0 }

    /// Whether it may have so many slashes.
    func allows(slashCount: Int) -> Bool {
        self == .any || slashCount == (self == .hardware ? 1 : 0)
    }
}
