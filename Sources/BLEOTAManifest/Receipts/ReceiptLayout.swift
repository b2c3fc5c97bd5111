/// The byte offsets of the fields of a signed receipt (spec/bleota.md, section 7.2), and their
/// limits. The version begins at ``version``, the public key after it, and the signature after the
/// public key.
public enum ReceiptLayout {
    /// The algorithm, u8.
    public static var algorithm: Int { 0 }
    /// The state of the running image, u8.
    public static var state: Int { 1 }
    /// The length of the version, u8.
    public static var versionByteCount: Int { 2 }
    /// Reserved, u8.
    public static var reserved: Int { 3 }
    /// The security counter, u32.
    public static var counter: Int { 4 }
    /// The SHA-256 of the running image.
    public static var sha256: Int { 8 }
    /// The version.
    public static var version: Int { 40 }

    /// The maximum length of the version in bytes.
    public static var versionByteCountMax: Int { 64 }
    /// The length of a signature in bytes, the same for all known algorithms.
    public static var signatureByteCount: Int { 64 }
    /// The maximum length of a receipt in bytes: with the longest version and a public key for
    /// P-256, which has 65 bytes.
    public static var byteCountMax: Int { version + versionByteCountMax + 65 + signatureByteCount }

    /// The first 16 bytes of the signed message, in ASCII. They ensure that the message has no
    /// meaning in any other context. The SHA-256 of the nonce and of the receipt without its
    /// signature follows.
    public static var signatureLabel: StaticString { "bleota receipt 1" }
}
