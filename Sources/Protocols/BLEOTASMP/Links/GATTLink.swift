package import BLEOTA
import Synchronization

/// SMP over Bluetooth: one characteristic for both directions.
///
/// A message is split into write commands that fill the ATT_MTU. Source: Zephyr, "SMP Transport".
package final class GATTLink: SMPLink {
    package static let service = "8d53dc1d-1db7-4cd3-868b-8a527460aa84"
    package static let characteristic = "da2e7828-fbce-4e01-ae9e-261174997c48"

    private let connection: any GATTConnection
    private let characteristic: GATTCharacteristic
    private let assembler = Mutex(MessageAssembler())

    package let limits: LinkLimits
    package let attMTU: Int

    /// Subscribes to the device's replies.
    package static func open(
        _ connection: any GATTConnection
    ) async throws(TransferError) -> GATTLink {
        guard let characteristic = connection.characteristic(characteristic, of: service) else {
            throw TransferError(gatt: .missing("the SMP characteristic"))
        }
        do throws(GATTError) {
            try await connection.subscribe(to: characteristic)
        } catch {
            throw TransferError(gatt: error)
        }
        return GATTLink(connection, characteristic)
    }

    private init(_ connection: any GATTConnection, _ characteristic: GATTCharacteristic) {
        self.connection = connection
        self.characteristic = characteristic
        attMTU = connection.attMTU
        // A device may be built without support for the reassembly of messages.
        limits = LinkLimits(
            unstated: BufferLimits(packetByteCountMax: attMTU - 3, requestCountMax: 1),
            pieceByteCount: attMTU - 3,
            isReliable: true
        )
    }

    package func send(_ packet: [UInt8]) async throws(TransferError) {
        let pieceByteCountMax = attMTU - 3
        do throws(GATTError) {
            var start = 0
            while start < packet.count {
                let end = min(start + pieceByteCountMax, packet.count)
                try await connection.command(Array(packet[start..<end]), to: characteristic)
                start = end
            }
        } catch {
            throw TransferError(gatt: error)
        }
    }

    package func receive() async throws(TransferError) -> [[UInt8]] {
        while true {
            let notifications: [GATTNotification]
            do throws(GATTError) {
                notifications = try await connection.receive()
            } catch {
                throw TransferError(gatt: error)
            }
            var messages: [[UInt8]] = []
            for notification in notifications
            where notification.characteristic == characteristic.uuid {
                do throws(MessageAssembler.Unreadable) {
                    messages += try assembler.withLock {
                        assembler throws(MessageAssembler.Unreadable) in
                        try assembler.take(notification.value)
                    }
                } catch {
                    throw TransferError(
                        .peerNotUnderstood("The device sent data that is not an SMP message.")
                    )
                }
            }
            if !messages.isEmpty { return messages }
        }
    }

    package func close(_ reason: CloseReason) { connection.close(reason) }
}

/// Connects to a Bluetooth device that speaks SMP.
package struct GATTConnector: SMPConnector {
    private let device: any GATTDevice

    package init(_ device: any GATTDevice) { self.device = device }

    package func connect() async throws(TransferError) -> any SMPLink {
        let connection = try await device.connect(to: .current)
        do throws(TransferError) {
            return try await GATTLink.open(connection)
        } catch {
            connection.close(.local)
            throw error
        }
    }

    package func awaitEnd() async { await device.awaitEnd() }
}
