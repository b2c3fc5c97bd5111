import Testing

/// The value, which must be there. Like `#require`, but calls can be nested.
func required<Value>(
    _ value: Value?,
    _ about: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    try #require(value, "\(about)", sourceLocation: sourceLocation)
}
