/// Two bars for each of some things: one filled, one hatched, and how many times the first is as
/// high as the second.
struct BarPlot: Plot {
    struct Group {
        let label: String
        let filled: Double
        let hatched: Double
    }

    let x: String
    let y: Axis
    let groups: [Group]
    let filledName: String
    let hatchedName: String

    private static let filled = "s1"
    private static let hatched = "s2"

    func legend(id: String) -> [LegendEntry] {
        [
            LegendEntry(name: filledName, sample: sample(isHatched: false, id: id)),
            LegendEntry(name: hatchedName, sample: sample(isHatched: true, id: id)),
        ]
    }

    private func sample(isHatched: Bool, id: String) -> String {
        var drawing = Drawing(width: 26, height: 16, id: id)
        let fill = isHatched ? drawing.hatching(class: Self.hatched) : nil
        drawing.rectangle(
            from: Place(2, 2),
            to: Place(24, 14),
            class: "bar \(isHatched ? Self.hatched : Self.filled)",
            fill: fill
        )
        return drawing.svg(label: nil)
    }

    func drawing(width: Double, height: Double, id: String) -> Drawing {
        let axis = Axis(x, upTo: Double(groups.count), stepsOf: Double(groups.count))
            .withoutTicks
        let frame = Frame(x: axis, y: y, width: width, height: height, hasSecondLine: true)
        var drawing = Drawing(width: width, height: height, id: id)
        frame.draw(into: &drawing, hasVerticals: false)
        let hatching = drawing.hatching(class: Self.hatched)
        for (number, group) in groups.enumerated() {
            let middle = Double(number) + 0.5
            let bars: [(String, Double, Double, Double, String, String?)] = [
                (filledName, group.filled, middle - 0.36, middle - 0.02, Self.filled, nil),
                (hatchedName, group.hatched, middle + 0.02, middle + 0.36, Self.hatched, hatching),
            ]
            for (name, value, from, to, colour, fill) in bars {
                let top = frame.place(from, value)
                drawing.rectangle(
                    from: top,
                    to: frame.place(to, 0),
                    class: "bar \(colour)",
                    fill: fill,
                    title: "\(name), \(group.label): \(Figures.rate(value * 1_000)) kB/s"
                )
                let text = Figures.rate(value * 1_000)
                let end = frame.place(to, 0).x
                // What is wider than a low bar stays clear of the high one on its left.
                let isAside = fill != nil && TextSize.width(of: text) > end - top.x
                drawing.text(
                    text,
                    at: Place(isAside ? top.x : (top.x + end) / 2, top.y - 5),
                    anchor: isAside ? .start : .middle
                )
            }
            let foot = frame.place(middle, 0)
            drawing.text(group.label, at: Place(foot.x, foot.y + 17), anchor: .middle)
            drawing.text(
                "× \(Figures.ratio(group.filled / group.hatched))",
                at: Place(foot.x, foot.y + 35),
                anchor: .middle,
                class: "label strong"
            )
        }
        return drawing
    }
}
