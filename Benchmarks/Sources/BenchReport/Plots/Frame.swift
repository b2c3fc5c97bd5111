/// The axes of a plot, and where values lie between them.
struct Frame {
    private static let left = 46.0
    private static let right = 16.0
    private static let top = 30.0
    private static let bottom = 46.0
    /// Between two numbers at an axis.
    private static let gap = 5.0

    let x: Axis
    let y: Axis
    let width: Double
    let height: Double
    /// Below the numbers of the x axis there is one more line of them.
    var hasSecondLine = false

    private var bottom: Double { height - Self.bottom - (hasSecondLine ? 18 : 0) }

    func place(_ x: Double, _ y: Double) -> Place {
        Place(
            Self.left + self.x.share(x) * (width - Self.left - Self.right),
            bottom - self.y.share(y) * (bottom - Self.top)
        )
    }

    /// The axes, with their lines across the plot.
    func draw(into drawing: inout Drawing, hasVerticals: Bool = true) {
        drawing.text(y.title, at: Place(4, 14), class: "axis")
        for tick in y.ticks {
            let at = place(x.range.lowerBound, tick.value)
            let end = Place(width - Self.right, at.y)
            drawing.line(from: at, to: end, class: "grid")
            drawing.text(tick.label, at: Place(at.x - 6, at.y + 4), anchor: .end)
        }
        let shown = shownNumbers
        for (number, tick) in x.ticks.enumerated() {
            let at = place(tick.value, y.range.lowerBound)
            if hasVerticals {
                drawing.line(from: Place(at.x, Self.top), to: at, class: "grid")
            }
            guard shown.contains(number) else { continue }
            drawing.text(tick.label, at: Place(at.x, at.y + 17), anchor: .middle)
        }
        let origin = Place(Self.left, bottom)
        drawing.line(from: origin, to: Place(width - Self.right, bottom), class: "base")
        drawing.line(from: origin, to: Place(Self.left, Self.top), class: "base")
        drawing.text(
            x.title,
            at: Place((Self.left + width - Self.right) / 2, height - 8),
            anchor: .middle,
            class: "axis"
        )
    }

    /// Which ticks of the x axis have room for their numbers; the others have a line alone. At
    /// equal steps each second one is left out, or two of three, and so on; else the last one is
    /// certain of its place, and of the others each that does not touch the one before.
    private var shownNumbers: Set<Int> {
        let spans = x.ticks.map { tick in
            let middle = place(tick.value, y.range.lowerBound).x
            let half = TextSize.width(of: tick.label) / 2
            return (from: middle - half, to: middle + half)
        }
        guard spans.count > 1, let last = spans.last else { return Set(spans.indices) }
        guard x.isLogarithmic else {
            let widest = spans.map { $0.to - $0.from }.max() ?? 0
            let step = place(x.ticks[1].value, 0).x - place(x.ticks[0].value, 0).x
            let each = Int(((widest + Self.gap) / step).rounded(.up))
            return Set(spans.indices.filter { $0 % max(each, 1) == 0 })
        }
        var shown: Set<Int> = [spans.count - 1]
        var freeFrom = 0.0
        for (number, span) in spans.enumerated().dropLast()
        where span.from >= freeFrom && span.to + Self.gap <= last.from {
            shown.insert(number)
            freeFrom = span.to + Self.gap
        }
        return shown
    }
}
