import FleetText

/// A line of `--json`: an event and its fields, in the order in which they were added.
struct JSONObject {
    private var value: JSON

    init(_ event: String) { value = .object(["event": .text(event)]) }

    var text: String { value.description }

    func with(_ name: String, _ text: String) -> JSONObject { adding(name, .text(text)) }
    func with(_ name: String, _ flag: Bool) -> JSONObject { adding(name, .flag(flag)) }

    /// A number that JSON's readers keep exactly: up to 2⁵³.
    func with(_ name: String, _ number: UInt64) -> JSONObject {
        adding(name, .number(Int(clamping: number)))
    }

    private func adding(_ name: String, _ member: JSON) -> JSONObject {
        var new = self
        new.value = value.adding(name, member)
        return new
    }
}
