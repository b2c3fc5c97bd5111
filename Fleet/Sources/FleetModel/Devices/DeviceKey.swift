/// A device's public key: 32 bytes of Ed25519, or 65 of P-256.
package struct DeviceKey: Sendable, Hashable {
    package static let byteCounts = [32, 65]

    package let publicBytes: [UInt8]

    /// Takes over a key; `nil` if it has another length. Whether it is a point of the curve shows
    /// when a signature is checked.
    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        publicBytes = bytes
    }

    /// The key in hexadecimal digits.
    package var hexadecimal: String { publicBytes.hexadecimal }
}

/// What a device signs about the image that it runs, as the gateway got it (spec/bleota.md, section
/// 7.2). It may be forged.
package struct DeviceReceipt: Sendable, Hashable {
    /// The longest receipt: a version of 64 bytes, and a key of P-256.
    package static let byteCountMax = 233

    package let bytes: [UInt8]

    /// Takes over a receipt; `nil` if it is empty or too long.
    package init?(_ bytes: [UInt8]) {
        guard (1...Self.byteCountMax).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

/// What somebody who can check signatures says of a report of success.
package enum Evidence: Sendable, Hashable {
    /// The owner of this key signed that the device runs the image, for the nonce of the lease.
    case signed(by: DeviceKey)
    /// The report has no receipt.
    case unsigned
    /// The report has a receipt that isn't valid, or about something else.
    case forged
}

/// Which successes a campaign counts. A device whose key is known counts only by its receipt, in
/// every campaign.
package enum ReceiptRule: UInt8, Sendable, Hashable, CaseIterable {
    /// Those of devices without a key too, which are marked as unsigned.
    case optional = 0
    /// Only those with a receipt.
    case required = 1
    /// Only those with a receipt. The first receipt of a device without a key enrols its key.
    case enrolling = 2
}
