import Crypto
package import FleetModel
import Synchronization

/// A device's key, made without the library that checks receipts: the bytes are those of
/// spec/bleota.md, section 7.2.
package struct SignedDevice: Sendable {
    /// The image that it runs, unless a test says another.
    package static let content = FleetModel.Digest([UInt8](repeating: 8, count: 32))!

    private let secret = Curve25519.Signing.PrivateKey()

    package init() {}

    package var key: DeviceKey { DeviceKey(Array(secret.publicKey.rawRepresentation))! }

    /// What the device says and signs.
    ///
    /// - Parameters:
    ///   - content: the SHA-256 of the image that it says it runs.
    ///   - state: 1 for an image that it keeps, and 2 for one on trial.
    ///   - label: the first 16 bytes of the signed message.
    package func receipt(
        _ nonce: Nonce,
        of content: FleetModel.Digest = content,
        state: UInt8 = 1,
        label: String = "bleota receipt 1"
    ) -> DeviceReceipt {
        let statement: [UInt8] =
            [1, state, 5, 0] + [7, 0, 0, 0] + content.bytes + Array("2.0.0".utf8)
            + key.publicBytes
        let message =
            Array(label.utf8) + Array(SHA256.hash(data: nonce.bytes + statement))
        let signature = try! secret.signature(for: message)
        return DeviceReceipt(statement + Array(signature))!
    }
}

/// The first receipt that anybody made.
package final class KeptReceipt: Sendable {
    private let first = Mutex<DeviceReceipt?>(nil)

    package init() {}

    package func receipt(_ make: () -> DeviceReceipt) -> DeviceReceipt {
        first.withLock { first in
            let receipt = first ?? make()
            first = receipt
            return receipt
        }
    }
}
