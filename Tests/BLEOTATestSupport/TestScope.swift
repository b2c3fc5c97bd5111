import Glibc

/// How much of what a test could try it does try.
package enum TestScope {
    /// Whether tests try everything: in `make check`, and when they write committed results anew.
    /// In `make test` they try as much as fits into its few minutes.
    package static let isFull = isSet("BLEOTA_TEST_SCOPE", to: "full") || isSet("BLEOTA_UPDATE")

    /// One value for each scope.
    package static func choose<Value>(_ short: Value, full: Value) -> Value {
        isFull ? full : short
    }

    private static func isSet(_ name: String, to value: String? = nil) -> Bool {
        guard let text = getenv(name).map({ String(cString: $0) }) else { return false }
        return value.map { text == $0 } ?? true
    }
}
