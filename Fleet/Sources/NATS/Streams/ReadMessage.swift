/// A message that was read from its stream.
package struct ReadMessage: Sendable, Hashable {
    package let subject: String
    package let payload: [UInt8]
    /// When the server stored it, by its clock: nanoseconds since 1970.
    package let nanoseconds: Int64
}
