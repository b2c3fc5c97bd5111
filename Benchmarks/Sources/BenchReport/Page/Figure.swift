/// A plot with its title, its legend and what there is to say about it.
struct Figure {
    let title: String
    let origin: Origin
    let text: String
    let plot: any Plot
    var height = 360.0

    /// - Parameter number: of this figure in the page.
    func html(number: Int) -> String {
        let legend = plot.legend(id: "f\(number)l").map {
            "<li>\($0.sample)<span>\(Markup.escaped($0.name))</span></li>"
        }
        return """
            <figure>
            <figcaption><p class="caption">\(origin.badge) \(Markup.escaped(title))</p>
            <p>\(text)</p></figcaption>
            <ul class="legend">\(legend.joined())</ul>
            <div class="wide">\(svg(width: 900, height, "f\(number)w"))</div>
            <div class="narrow">\(svg(width: 368, min(height, 340), "f\(number)n"))</div>
            </figure>
            """
    }

    private func svg(width: Double, _ height: Double, _ id: String) -> String {
        plot.drawing(width: width, height: height, id: id)
            .svg(label: "\(title), \(origin.rawValue)")
    }
}
