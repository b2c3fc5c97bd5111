/// Some points that belong together.
struct Series {
    let name: String
    let style: SeriesStyle
    let points: [(x: Double, y: Double)]
    /// The last point stands apart: no line leads to it.
    var isLastApart = false
}
