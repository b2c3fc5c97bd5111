/// How large text is at the size that labels have in the page's style.
enum TextSize {
    /// A digit's width, rounded up, in the widest of the usual fonts.
    private static let digitWidth = 8.0

    static func width(of text: String) -> Double { Double(text.count) * digitWidth }
}
