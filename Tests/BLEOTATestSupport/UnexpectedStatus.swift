/// A run of the tool ended otherwise than what follows in the test needs.
package struct UnexpectedStatus: Error, CustomStringConvertible {
    package let description: String
}
