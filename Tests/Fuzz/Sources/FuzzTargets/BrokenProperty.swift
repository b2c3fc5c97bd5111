/// Something that has to hold for every input and did not.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless a property holds.
func require(
    _ isHeld: Bool,
    _ description: @autoclosure () -> String
) throws(BrokenProperty) {
    if !isHeld { throw BrokenProperty(description: description()) }
}
