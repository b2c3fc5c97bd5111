import FleetModel
import FleetStore

/// What operators did, and what gateways claimed without a right to it.
struct AuditPage {
    /// Each is read on its own; `bleota-fleet audit` shows more.
    static let linesMax: UInt64 = 50

    /// The newest first; `nil` if the store can't be reached.
    let lines: [AuditLog.Line]?

    var html: HTML {
        """
        <h1>Audit</h1>
        <p class="lead">What operators did, and what gateways claimed without a right to it: the \
        last \(Int(Self.linesMax)). <code>bleota-fleet audit</code> has all of it.</p>
        \(content)
        """
    }

    private var content: HTML {
        guard let lines else {
            return "<p class=\"card empty\">It is in the store, which can’t be reached now.</p>"
        }
        guard !lines.isEmpty else {
            return "<p class=\"card empty\">Nothing has been written down.</p>"
        }
        let items: [HTML] = lines.map { line in
            let sentence = line.entry?.sentence ?? "an entry that can’t be read"
            let author = line.entry.map { ", by \($0.author)" } ?? ""
            return """
                <li class="event event-\(Self.kind(line))"><span><b>\(line.about)</b> \
                \(sentence)<span class="soft small author">\(author)</span></span>\
                \(Parts.time(line.moment))</li>
                """
        }
        return """
            <div class="card"><ol class="history">\(items)</ol>
            <p class="soft small">Times are UTC, by the NATS server’s clock.</p></div>
            """
    }

    private static func kind(_ line: AuditLog.Line) -> String {
        ["operator", "console"].contains(line.about) ? "updating" : "failed"
    }
}
