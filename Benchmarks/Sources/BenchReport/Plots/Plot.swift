/// Something that draws itself at any width.
protocol Plot {
    /// What is what.
    ///
    /// - Parameter id: what the ids of its drawings begin with.
    func legend(id: String) -> [LegendEntry]
    /// - Parameter id: what the ids of the drawing begin with.
    func drawing(width: Double, height: Double, id: String) -> Drawing
}
