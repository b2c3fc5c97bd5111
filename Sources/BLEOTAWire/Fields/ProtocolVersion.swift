/// The versions of the protocol that this module speaks (spec/bleota.md, section 11).
public enum ProtocolVersion {
    /// The version in byte 0 of every control frame.
    public static var current: UInt8 { 1 }
    /// The oldest version spoken.
    public static var lowest: UInt8 { 1 }
    /// The newest version spoken.
    public static var highest: UInt8 { 1 }

    /// The detail of RESULT *version*: the lowest and highest version in bytes 0 and 1.
    public static var resultDetail: UInt64 { UInt64(lowest) | UInt64(highest) << 8 }
}
