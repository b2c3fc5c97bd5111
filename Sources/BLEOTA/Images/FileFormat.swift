/// The format of a firmware file, as recognized by its content.
package enum FileFormat: String, Sendable, Hashable, CaseIterable {
    /// Raw bytes, sent unchanged.
    case raw
    /// Intel HEX text. One of its regions is decoded and sent.
    case intelHex
    /// An MCUboot image with its header and TLV areas, sent unchanged.
    case mcuboot
    /// A bundle of an image and its manifests, signed or not. One of its variants is sent.
    case bundle
}
