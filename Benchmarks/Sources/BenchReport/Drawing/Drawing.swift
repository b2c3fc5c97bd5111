/// An SVG drawing, made element by element. Colours are classes of the page's style, so that they
/// follow its light and dark.
struct Drawing {
    enum Anchor: String {
        case start
        case middle
        case end
    }

    let width: Double
    let height: Double
    /// What the ids of this drawing begin with; those of a page are all different.
    let id: String
    private var elements: [String] = []
    private var definitions: [String] = []

    init(width: Double, height: Double, id: String) {
        self.width = width
        self.height = height
        self.id = id
    }

    /// The drawing as an element of HTML.
    ///
    /// - Parameter label: what it shows, for who does not see it; `nil` where text beside it says
    ///   so.
    func svg(label: String?) -> String {
        let role =
            label.map { "role=\"img\" aria-label=\"\(Markup.escaped($0))\"" }
            ?? "aria-hidden=\"true\""
        let defs = definitions.isEmpty ? "" : "<defs>\(definitions.joined())</defs>"
        return """
            <svg viewBox="0 0 \(Self.number(width)) \(Self.number(height))" \(role)>\(defs)
            \(elements.joined(separator: "\n"))
            </svg>
            """
    }

    mutating func line(from: Place, to: Place, class name: String) {
        elements.append(
            "<line class=\"\(name)\" x1=\"\(Self.number(from.x))\" y1=\"\(Self.number(from.y))\" "
                + "x2=\"\(Self.number(to.x))\" y2=\"\(Self.number(to.y))\"/>"
        )
    }

    mutating func path(_ places: [Place], class name: String) {
        guard places.count > 1 else { return }
        let text = places.map { "\(Self.number($0.x)) \(Self.number($0.y))" }
        elements.append("<path class=\"\(name)\" d=\"M\(text.joined(separator: "L"))\"/>")
    }

    mutating func text(
        _ text: String,
        at place: Place,
        anchor: Anchor = .start,
        class name: String = "label"
    ) {
        elements.append(
            "<text class=\"\(name)\" x=\"\(Self.number(place.x))\" y=\"\(Self.number(place.y))\" "
                + "text-anchor=\"\(anchor.rawValue)\">\(Markup.escaped(text))</text>"
        )
    }

    /// - Parameter title: what a pointer that rests on the marker shows.
    mutating func marker(
        _ shape: MarkerShape,
        at place: Place,
        radius: Double,
        class name: String,
        title: String? = nil
    ) {
        let tip = title.map { "<title>\(Markup.escaped($0))</title>" } ?? ""
        if case .disc = shape {
            elements.append(
                "<circle class=\"\(name)\" cx=\"\(Self.number(place.x))\" "
                    + "cy=\"\(Self.number(place.y))\" r=\"\(Self.number(radius))\">\(tip)</circle>"
            )
            return
        }
        let data = shape.strokes(radius: radius).map { stroke in
            "M"
                + stroke.map { "\(Self.number(place.x + $0.x)) \(Self.number(place.y + $0.y))" }
                .joined(separator: "L") + (shape.isClosed ? "Z" : "")
        }
        elements.append("<path class=\"\(name)\" d=\"\(data.joined())\">\(tip)</path>")
    }

    mutating func rectangle(
        from: Place,
        to: Place,
        class name: String,
        fill: String? = nil,
        title: String? = nil
    ) {
        let tip = title.map { "<title>\(Markup.escaped($0))</title>" } ?? ""
        let style = fill.map { " style=\"fill:\($0)\"" } ?? ""
        elements.append(
            "<rect class=\"\(name)\" x=\"\(Self.number(from.x))\" y=\"\(Self.number(from.y))\" "
                + "width=\"\(Self.number(max(to.x - from.x, 0)))\" "
                + "height=\"\(Self.number(max(to.y - from.y, 0)))\"\(style)>\(tip)</rect>"
        )
    }

    /// Slanted lines to fill with; returns what a fill is set to.
    mutating func hatching(class name: String) -> String {
        let patternID = "\(id)-\(name)"
        definitions.append(
            """
            <pattern id="\(patternID)" width="6" height="6" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><line class="hatch \(name)" x1="3" y1="0" x2="3" y2="6"/>\
            </pattern>
            """
        )
        return "url(#\(patternID))"
    }

    /// Rounded to tenths.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let fraction = abs(tenths) % 10
        return "\(sign)\(abs(tenths) / 10)" + (fraction == 0 ? "" : ".\(fraction)")
    }
}
