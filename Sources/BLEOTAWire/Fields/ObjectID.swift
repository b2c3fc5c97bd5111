/// What a data frame is a part of (spec/registry.md).
public struct ObjectID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Any 8-bit number names an object; only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the sender says of its image.
    public static var manifest: ObjectID { ObjectID(rawValue: 0) }
    /// The image.
    public static var image: ObjectID { ObjectID(rawValue: 1) }
    /// Probes whose arrival is all that matters; never stored.
    public static var echo: ObjectID { ObjectID(rawValue: 255) }
}
