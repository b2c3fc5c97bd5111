import BLEOTA

// The library's sentences do not name commands or options of the tool. Where such a name helps, the
// tool replaces the remedy, which follows the semicolon.

extension String {
    /// The sentence with a different remedy.
    func withRemedy(_ remedy: String) -> String {
        let end = lastIndex(of: ";") ?? (hasSuffix(".") ? index(before: endIndex) : endIndex)
        return "\(self[..<end]); \(remedy)."
    }
}

extension KeyError {
    /// One sentence: what happened and what to do next.
    var sentence: String {
        switch code {
        case .malformed:
            description.withRemedy("choose a key file, or make one with bleota key generate")
        case .wrongKind where description.hasSuffix("; use its public half."):
            description.withRemedy(
                "use its public half, which bleota key generate wrote beside it (.pub)"
            )
        default: description
        }
    }
}

extension SerialError {
    /// One sentence: what happened and what to do next.
    var sentence: String {
        guard case .notASerialLine = self else { return description }
        return description.withRemedy(
            "choose one of these, or use unix:PATH for the socket of another bleota process"
        )
    }
}
