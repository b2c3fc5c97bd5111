import FleetModel
import FleetText
import Testing

@testable import FleetConsole

@Suite("What the console writes")
struct TextTests {
    @Test("A text in HTML stays a text, whatever it is")
    func html() {
        let attack = "<script>\"x\"&'y'</script>"
        let html: HTML = "<p title=\"\(attack)\">\(attack)</p>"
        let safe = "&lt;script&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;/script&gt;"
        #expect(html.text == "<p title=\"\(safe)\">\(safe)</p>")
        let list: HTML = "<ul>\([html, html])</ul>"
        #expect(list.text == "<ul>\(html.text)\(html.text)</ul>")
        #expect(("\(1_234_567)" as HTML).text == "1\u{202F}234\u{202F}567")
        #expect(("\(-12)" as HTML).text == "-12")
    }

    @Test("JSON escapes what it must, and leaves out members that are nil")
    func json() {
        let value = JSON.object([
            "text": .text("a\"b\\c\n\u{1}"), "none": nil,
            "list": .list([.number(-1), .flag(true)]),
        ])
        #expect(
            value.description
                == #"{"text":"a\"b\\c\u000a\u0001","list":[-1,true]}"#
        )
    }

    @Test("A query can hold any text")
    func query() {
        #expect(Query(("a", nil), ("b", "")).text == "")
        #expect(Query(("a", "x y&z=ü"), ("b", "1-2_3.4")).text == "?a=x%20y%26z%3D%C3%BC&b=1-2_3.4")
    }

    @Test(
        "Moments are written in UTC",
        arguments: [
            (0, "1970-01-01 00:00:00"), (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"), (1_709_251_199, "2024-02-29 23:59:59"),
            (1_735_689_599, "2024-12-31 23:59:59"), (4_107_542_400, "2100-03-01 00:00:00"),
        ] as [(UInt64, String)]
    )
    func moments(seconds: UInt64, text: String) {
        #expect(Sample.at(seconds).text == text)
        #expect(
            Sample.at(seconds).timestamp == text.split(separator: " ").joined(separator: "T") + "Z"
        )
    }

    @Test("A bar shows one device of many, and never more than the whole")
    func bars() {
        let bar = Parts.bar("one", of: 100_000, [("updated", 1), ("failed", 99_999)])
        #expect(bar.text.contains("fill-updated\" x=\"0\" y=\"0\" width=\"4\""))
        #expect(bar.text.contains("fill-failed\" x=\"4\" y=\"0\" width=\"996\""))
        #expect(!Parts.bar("none", of: 0, [("updated", 0)]).text.contains("rect"))
        #expect(Parts.percent(Share(basisPoints: 105)!) == "1.05\u{202F}%")
    }
}
