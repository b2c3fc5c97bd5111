/// Texts for C.
enum CText {
    /// Calls `body` with a text that is valid meanwhile, or with `nil`.
    static func with<Value>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}
