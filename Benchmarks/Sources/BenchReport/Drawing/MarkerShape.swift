/// What marks a point. Shapes differ where colours may not.
enum MarkerShape {
    case disc
    case square
    case triangle
    case diamond
    case cross
    case plus

    var isClosed: Bool { self != .cross && self != .plus }

    /// The lines around the point, all but those of a disc.
    func strokes(radius: Double) -> [[Place]] {
        let r = radius
        switch self {
        case .disc: return []
        case .square:
            let s = r * 0.9
            return [[Place(-s, -s), Place(s, -s), Place(s, s), Place(-s, s)]]
        case .triangle:
            return [[Place(0, -r * 1.2), Place(r * 1.1, r * 0.9), Place(-r * 1.1, r * 0.9)]]
        case .diamond:
            let s = r * 1.3
            return [[Place(0, -s), Place(s, 0), Place(0, s), Place(-s, 0)]]
        case .cross: return [[Place(-r, -r), Place(r, r)], [Place(-r, r), Place(r, -r)]]
        case .plus: return [[Place(-r, 0), Place(r, 0)], [Place(0, -r), Place(0, r)]]
        }
    }
}
