/// Why a device refuses an image, in the terms of a protocol other than bleota's own.
package struct DeviceRefusal: Sendable, Hashable {
    /// The device's own code, such as `SMP group 1, error 30`.
    package let code: String
    /// One sentence, without the final period, that states what happened.
    package let statement: String
    /// What to do, as a clause that follows a semicolon.
    package let remedy: String
    /// Whether the same push may succeed later.
    package let isRetryable: Bool

    package init(_ code: String, _ statement: String, remedy: String, isRetryable: Bool = false) {
        self.code = code
        self.statement = statement
        self.remedy = remedy
        self.isRetryable = isRetryable
    }
}
