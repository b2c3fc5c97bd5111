/// Why a device does not run an image that it has verified.
package enum NotRunning: Hashable, Sendable {
    /// The device does not report which image it runs.
    case unknown
    /// The device could not install the image.
    case failed
    /// The device ran the image, then reverted to another one.
    case reverted
    /// The device did not confirm the image in time. It may still do so later.
    case notInTime
}
