/// What the content of a firmware file turned out to be.
package enum FileFormat: String, Sendable, Hashable, CaseIterable {
    /// Bytes that are sent as they are.
    case raw
    /// Intel HEX text; one of its regions is sent, decoded.
    case intelHex
    /// An MCUboot image with its header and TLV areas, sent as it is.
    case mcuboot
    /// A bundle of an image and its manifest, signed or not; one of its forms is sent.
    case bundle
}
