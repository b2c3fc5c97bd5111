/// Series over a number.
struct LinePlot: Plot {
    let x: Axis
    let y: Axis
    let series: [Series]
    /// What the values are in.
    let unit: String

    func legend(id: String) -> [LegendEntry] {
        series.map { LegendEntry(name: $0.name, sample: $0.style.sample) }
    }

    func drawing(width: Double, height: Double, id: String) -> Drawing {
        let frame = Frame(x: x, y: y, width: width, height: height)
        var drawing = Drawing(width: width, height: height, id: id)
        frame.draw(into: &drawing)
        for series in series {
            let joined = series.isLastApart ? series.points.dropLast() : series.points[...]
            if let lineClass = series.style.lineClass {
                drawing.path(joined.map { frame.place($0.x, $0.y) }, class: lineClass)
            }
            guard let marker = series.style.marker else { continue }
            for point in series.points {
                drawing.marker(
                    marker,
                    at: frame.place(point.x, point.y),
                    radius: 4,
                    class: series.style.markerClass,
                    title: "\(series.name): \(Figures.rate(point.y * 1_000)) \(unit)"
                )
            }
        }
        return drawing
    }
}
