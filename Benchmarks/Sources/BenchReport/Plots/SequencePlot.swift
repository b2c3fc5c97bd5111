import BLEOTACore
import BLEOTASimulation

/// The image over time in one transfer: what was sent, what arrived, and what the sender was told.
struct SequencePlot: Plot {
    let report: RadioTransferReport
    let connectionInterval: Microseconds

    private static let sent = SeriesStyle(1, dash: nil, .disc)
    private static let lost = SeriesStyle(2, dash: nil, .cross)
    private static let sentAgain = SeriesStyle(2, dash: nil, .diamond)
    private static let arrived = SeriesStyle(3, dash: nil, .square)
    private static let acknowledged = SeriesStyle(4, dash: 0, nil)
    private static let durable = SeriesStyle(5, dash: 1, nil)
    private static let granted = SeriesStyle(0, dash: 3, nil)

    func legend(id: String) -> [LegendEntry] {
        [
            ("sent", Self.sent), ("sent and lost", Self.lost), ("sent again", Self.sentAgain),
            ("arrived", Self.arrived), ("all before is acknowledged", Self.acknowledged),
            ("all before is durable", Self.durable), ("credit ends", Self.granted),
        ].map { LegendEntry(name: $0.0, sample: $0.1.sample) }
    }

    func drawing(width: Double, height: Double, id: String) -> Drawing {
        let end = milliseconds(report.timeline.last?.moment ?? .zero)
        let frame = Frame(
            x: Axis("Time in ms", upTo: end, stepsOf: milliseconds(connectionInterval)),
            y: Axis("Image in kB", upTo: Double(report.imageByteCount) / 1_000),
            width: width,
            height: height
        )
        var drawing = Drawing(width: width, height: height, id: id)
        frame.draw(into: &drawing)
        for (kind, style) in [
            (TimelinePoint.Kind.granted, Self.granted), (.durable, Self.durable),
            (.acknowledged, Self.acknowledged),
        ] {
            drawing.path(steps(of: kind, in: frame, until: end), class: style.lineClass ?? "")
        }
        mark(report.timeline.filter { $0.kind == .arrived }, Self.arrived, 1.7, in: frame, &drawing)
        mark(report.timeline.filter { $0.kind == .sent }, Self.sent, 1.8, in: frame, &drawing)
        mark(
            report.timeline.filter { $0.kind == .sentAgain },
            Self.sentAgain,
            4,
            in: frame,
            &drawing
        )
        mark(lostPoints, Self.lost, 4.5, in: frame, &drawing)
        return drawing
    }

    private func milliseconds(_ span: Microseconds) -> Double { Double(span.rawValue) / 1_000 }

    private func place(_ point: TimelinePoint, in frame: Frame) -> Place {
        frame.place(milliseconds(point.moment), Double(point.byteOffset) / 1_000)
    }

    private func mark(
        _ points: [TimelinePoint],
        _ style: SeriesStyle,
        _ radius: Double,
        in frame: Frame,
        _ drawing: inout Drawing
    ) {
        guard let marker = style.marker else { return }
        for point in points {
            drawing.marker(
                marker,
                at: place(point, in: frame),
                radius: radius,
                class: style.markerClass + (radius < 2 ? " dot" : "")
            )
        }
    }

    /// A line that keeps its height until there is another one.
    private func steps(
        of kind: TimelinePoint.Kind,
        in frame: Frame,
        until end: Double
    ) -> [Place] {
        var places: [Place] = []
        for point in report.timeline where point.kind == kind {
            let place = place(point, in: frame)
            if let last = places.last { places.append(Place(place.x, last.y)) }
            places.append(place)
        }
        if let last = places.last { places.append(Place(frame.place(end, 0).x, last.y)) }
        return places
    }

    /// What was sent, and came neither before the same chunk was sent again nor ever.
    private var lostPoints: [TimelinePoint] {
        var onTheWay: [Int: TimelinePoint] = [:]
        var lost: [TimelinePoint] = []
        for point in report.timeline {
            switch point.kind {
            case .sent, .sentAgain:
                if let earlier = onTheWay.updateValue(point, forKey: point.byteOffset) {
                    lost.append(earlier)
                }
            case .arrived: onTheWay[point.byteOffset] = nil
            case .acknowledged, .granted, .durable: break
            }
        }
        return lost
    }
}
