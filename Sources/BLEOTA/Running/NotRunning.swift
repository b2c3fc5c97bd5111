/// Why a device does not run an image that it verified.
package enum NotRunning: Hashable, Sendable {
    /// It does not say what it runs.
    case unknown
    /// It could not install it.
    case failed
    /// It ran it, and went back to another one.
    case reverted
    /// It did not say so in time; it may later.
    case notInTime
}
