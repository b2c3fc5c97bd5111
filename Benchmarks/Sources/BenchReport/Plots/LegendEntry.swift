/// A line of a legend.
struct LegendEntry {
    let name: String
    /// A small SVG drawing.
    let sample: String
}
