/// A place in a drawing, in its units: to the right and down.
struct Place {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}
