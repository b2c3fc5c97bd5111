import BLEOTACore

@testable import BLEOTASimulation

/// What a link carries by arithmetic alone, written apart from the model.
///
/// Air times are those of Bluetooth Core 5.4, volume 6, part B, 2.1 and 2.2; the rest is as the
/// S140 SoftDevice Specification of Nordic counts: values in an event, times what they are long, by
/// the connection interval.
struct RadioFormula {
    let phy: PHY
    /// Of a packet.
    let byteCountMax: Int
    let isEncrypted: Bool
    let intervalMicroseconds: Int
    /// After a packet of the central, after one of the peripheral, and after an event.
    let spaces: (central: Int, peripheral: Int, event: Int)
    private let hostMicroseconds: Int

    init(_ settings: RadioSettings) {
        phy = settings.phy
        byteCountMax = settings.hasDataLengthExtension ? settings.packetByteCountLimit : 27
        isEncrypted = settings.isEncrypted
        intervalMicroseconds = Int(settings.connectionInterval.rawValue)
        hostMicroseconds = Int(settings.hostLatency.rawValue)
        spaces = (
            central: Int(settings.frameSpaces.centralToPeripheral.rawValue),
            peripheral: Int(settings.frameSpaces.peripheralToCentral.rawValue),
            event: Int(settings.frameSpaces.betweenEvents.rawValue)
        )
    }

    /// Of a packet: preamble, access address, header, data, check of the data and of the packet.
    func airTime(_ byteCount: Int) -> Int {
        let whole = byteCount + (isEncrypted && byteCount > 0 ? 4 : 0)
        return switch phy {
        case .le1M: 8 * (1 + 4 + 2 + whole + 3)
        case .le2M: 4 * (2 + 4 + 2 + whole + 3)
        case .codedS2: 80 + 256 + 16 + 24 + 2 * (8 * (2 + whole + 3) + 3)
        case .codedS8: 80 + 256 + 16 + 24 + 8 * (8 * (2 + whole + 3) + 3)
        }
    }

    /// The packets of a value: its own bytes, 3 of ATT and 4 of L2CAP.
    func packets(_ byteCount: Int) -> [Int] {
        let (fullCount, rest) = (byteCount + 7).quotientAndRemainder(dividingBy: byteCountMax)
        return Array(repeating: byteCountMax, count: fullCount) + (rest > 0 ? [rest] : [])
    }

    /// T_v: each packet with the empty one that answers it, and two spaces.
    private func valueTime(_ byteCount: Int) -> Int {
        packets(byteCount).reduce(0) {
            $0 + airTime($1) + spaces.central + airTime(0) + spaces.peripheral
        }
    }

    /// n.
    func valueCountPerEvent(_ byteCount: Int) -> Int {
        (intervalMicroseconds - spaces.event) / valueTime(byteCount)
    }

    /// From the beginning of an event until the last of so many values is there, where each is one
    /// packet.
    func arrivalTime(ofValues count: Int, _ byteCount: Int) -> Int {
        (count - 1) * valueTime(byteCount) + airTime(packets(byteCount)[0])
    }

    /// n·v/CI in bytes a second.
    func commands(_ byteCount: Int) -> Double {
        Double(byteCount * valueCountPerEvent(byteCount)) * 1e6 / Double(intervalMicroseconds)
    }

    /// The same where values have k packets of the same length, and go on in the next event: as
    /// many packets as an event has time for, times v/k, by CI.
    func commandsByPacket(_ byteCount: Int) -> Double {
        let packets = packets(byteCount)
        let count = (intervalMicroseconds - spaces.event) / (valueTime(byteCount) / packets.count)
        return Double(count * byteCount) / Double(packets.count) * 1e6
            / Double(intervalMicroseconds)
    }

    /// v/T_v in bytes a second: without an end of the event.
    func asymptote(_ byteCount: Int) -> Double {
        Double(byteCount) * 1e6 / Double(valueTime(byteCount))
    }

    /// v/(2·CI) in bytes a second.
    func requests(_ byteCount: Int) -> Double {
        Double(byteCount) * 1e6 / Double(2 * intervalMicroseconds)
    }

    /// How many events a request of one packet takes until its response is with the host that sent
    /// it. Both hosts answer after the same time.
    func eventCountPerRequest(_ byteCount: Int) -> Int {
        let request = airTime(byteCount + 7)
        let response = airTime(0) + spaces.central + airTime(1 + 4)
        return [request, response].reduce(0) {
            $0 + ($1 + hostMicroseconds + intervalMicroseconds - 1) / intervalMicroseconds
        }
    }
}
