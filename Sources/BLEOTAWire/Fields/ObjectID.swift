/// The object that a data frame belongs to (spec/registry.md).
public struct ObjectID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The encoded number.
    public let rawValue: UInt8

    /// Creates an object ID. Every 8-bit number is valid, but only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The manifest, which describes the image.
    public static var manifest: ObjectID { ObjectID(rawValue: 0) }
    /// The image as it is transferred, possibly encoded.
    public static var image: ObjectID { ObjectID(rawValue: 1) }
    /// The echo object. Its data frames are probes: the receiver answers them and never stores
    /// them.
    public static var echo: ObjectID { ObjectID(rawValue: 255) }
}
