import FleetModel

/// What every page has around its content.
struct Shell {
    /// The pages of the menu.
    enum Place: String, CaseIterable {
        case overview = "Overview"
        case devices = "Devices"
        case gateways = "Gateways"
        case failures = "Failures"

        var path: String { self == .overview ? "/" : "/" + rawValue.lowercased() }
    }

    let summary: FleetSummary
    let formSecret: Secret

    /// A whole page.
    ///
    /// - Parameter place: the entry of the menu to which it belongs.
    func page(_ title: String, at place: Place?, _ content: HTML) -> HTML {
        """
        \(Self.head(title))
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        <a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">\
        bleota fleet</a>
        <nav aria-label="Pages"><ul>\(menu(place))</ul></nav>
        <p class="live" id="live" role="status" data-live="off"><span class="dot"></span>\
        <span class="word">connecting</span></p>
        <form class="logout" method="post" action="/logout">\(secretField)\
        <button class="quiet" type="submit">Log out</button></form>
        </header>
        <p class="notice warning away" id="away" role="alert" hidden>The console can’t be reached. \
        This page shows what was known last, and goes on by itself.</p>
        <main id="main" tabindex="-1">
        \(notice)
        \(content)
        </main>
        <footer class="foot"><a href="/audit">Audit: who did what</a></footer>
        </body>
        </html>

        """
    }

    /// What a form must bring along.
    var secretField: HTML {
        "<input type=\"hidden\" name=\"secret\" value=\"\(formSecret.text)\">"
    }

    static func head(_ title: String) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · bleota fleet</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/console.css">
        <script src="/console.js" defer></script>
        </head>
        """
    }

    private func menu(_ place: Place?) -> [HTML] {
        Place.allCases.map { item($0, isCurrent: $0 == place) }
    }

    private func item(_ place: Place, isCurrent: Bool) -> HTML {
        let current: HTML = isCurrent ? " aria-current=\"page\"" : ""
        return "<li><a href=\"\(place.path)\"\(current)>\(place.rawValue)</a></li>"
    }

    private var notice: HTML {
        if let moment = summary.disconnected {
            """
            <p class="notice warning" role="status"><b>The fleet’s store can’t be reached</b> since \
            \(Parts.time(moment)) UTC. This is what was known then. Updates that gateways have \
            begun go on meanwhile.</p>
            """
        } else if !summary.isComplete {
            """
            <p class="notice" role="status">The console is still reading the fleet: the numbers \
            grow.</p>
            """
        } else {
            .empty
        }
    }
}
