/// What a device says of the images that it runs and has (spec/registry.md, "States of STATUS").
public enum RunningState: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// It does not know what it runs.
    case unknown = 0
    /// It runs the image with the tag, and keeps it.
    case confirmed = 1
    /// It runs the image with the tag, and goes back to another one unless it is confirmed.
    case onTrial = 2
    /// It is about to run its current image.
    case installing = 3
    /// It could not install its current image.
    case failed = 4
}
