/// The protocol versions that this module supports (spec/bleota.md, section 11).
public enum ProtocolVersion {
    /// The version in byte 0 of every control frame.
    public static var current: UInt8 { 1 }
    /// The oldest supported version.
    public static var lowest: UInt8 { 1 }
    /// The newest supported version.
    public static var highest: UInt8 { 1 }

    /// The detail of RESULT *version*: the lowest supported version in byte 0 and the highest
    /// in byte 1.
    public static var resultDetail: UInt64 { UInt64(lowest) | UInt64(highest) << 8 }
}
