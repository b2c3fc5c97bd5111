/// How a series looks: a colour and a dash of the page's style, by the names of their classes, and
/// a marker. Each of the three tells the series of a plot apart without the other two.
struct SeriesStyle {
    /// `s0` to `s6`.
    let colour: String
    /// `d0`, which is solid, to `d5`; `nil` for no line.
    let dash: String?
    let marker: MarkerShape?

    init(_ number: Int, dash: Int?, _ marker: MarkerShape?) {
        colour = "s\(number)"
        self.dash = dash.map { "d\($0)" }
        self.marker = marker
    }

    var lineClass: String? { dash.map { "line \(colour) \($0)" } }

    var markerClass: String {
        marker?.isClosed ?? true ? "mark \(colour)" : "mark open \(colour)"
    }

    /// A piece of it, for a legend.
    var sample: String {
        var drawing = Drawing(width: 40, height: 16, id: "")
        if let lineClass {
            drawing.path([Place(1, 8), Place(39, 8)], class: lineClass)
        }
        if let marker {
            drawing.marker(marker, at: Place(20, 8), radius: 4, class: markerClass)
        }
        return drawing.svg(label: nil)
    }
}
