/// The state of a device's running and current images (spec/registry.md, "States of STATUS").
public enum RunningState: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// The device does not know which image is running.
    case unknown = 0
    /// The image with the tag is running, and the device keeps it.
    case confirmed = 1
    /// The image with the tag is running, and the device reverts to another one unless this one is
    /// confirmed.
    case onTrial = 2
    /// The device is about to start its current image.
    case installing = 3
    /// The device could not install its current image.
    case failed = 4
}
