/// The page, as one file that needs no other one.
struct Page {
    let title: String
    let introduction: [String]
    let sections: [PageSection]

    var html: String {
        let links = sections.map {
            "<li><a href=\"#\($0.anchor)\">\(Markup.escaped($0.title))</a></li>"
        }
        var figureNumber = 0
        let parts = sections.map { section in
            let figures = section.figures.map { figure in
                figureNumber += 1
                return figure.html(number: figureNumber)
            }
            return """
                <section id="\(section.anchor)">
                <h2>\(Markup.escaped(section.title))</h2>
                \(paragraphs(section.paragraphs))
                \(facts(section.facts))
                \(figures.joined(separator: "\n"))
                \(section.tables.map(\.html).joined(separator: "\n"))
                \(section.notes.joined(separator: "\n"))
                </section>
                """
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Markup.escaped(title))</title>
            <style>
            \(PageStyle.css)
            </style>
            </head>
            <body>
            <h1>\(Markup.escaped(title))</h1>
            \(paragraphs(introduction))
            <nav><ul>\(links.joined())</ul></nav>
            \(parts.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    /// The tables alone.
    var markdown: String {
        let parts = sections.filter { !$0.tables.isEmpty }.map { section in
            let facts = section.facts.map { "- \($0.name): \($0.value)\n" }.joined()
            return "## \(section.title)\n\n" + (facts.isEmpty ? "" : facts + "\n")
                + section.tables.map(\.markdown).joined(separator: "\n")
        }
        return "# \(title)\n\n" + parts.joined(separator: "\n")
    }

    private func paragraphs(_ texts: [String]) -> String {
        texts.map { "<p>\($0)</p>" }.joined(separator: "\n")
    }

    private func facts(_ facts: [(name: String, value: String)]) -> String {
        guard !facts.isEmpty else { return "" }
        let items = facts.map {
            "<dt>\(Markup.escaped($0.name))</dt><dd>\(Markup.escaped($0.value))</dd>"
        }
        return "<dl>\(items.joined())</dl>"
    }
}
