import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTAESPOTA

@Suite("Values of Espressif's OTA")
struct MessageTests {
    @Test("CRC-16 has its usual check value")
    func checksum() {
        #expect(CRC16.checksum(of: Array("123456789".utf8)[...]) == 0x31C3)
        #expect(CRC16.checksum(of: []) == 0)
    }

    @Test("A start has the length of the image, and a stop nothing")
    func commands() {
        let start = ESPMessage.start(byteCount: 0x0102_0304)
        #expect(Array(start.prefix(18)) == [1, 0, 4, 3, 2, 1] + [UInt8](repeating: 0, count: 12))
        #expect(start.count == 20 && ESPMessage.stop.count == 20)
        #expect(Array(ESPMessage.stop.prefix(18)) == [2] + [UInt8](repeating: 0, count: 17))
    }

    @Test("Answers are read")
    func answers() {
        let (answer, _) = ModelESPDevice.answer(1, 0, 7)
        #expect(
            ESPMessage.received(answer, from: .command)
                == .answer(to: .start, isAccepted: true, window: 7)
        )
        let (rejection, _) = ModelESPDevice.answer(2, 1)
        #expect(
            ESPMessage.received(rejection, from: .command)
                == .answer(to: .stop, isAccepted: false, window: 0)
        )
        let (sector, _) = ModelESPDevice.sector(0x1234, 2, wanted: 0x4321)
        #expect(
            ESPMessage.received(sector, from: .firmware)
                == .sector(0x1234, .wrongIndex, wanted: 0x4321)
        )
    }

    @Test("Other values are nothing: damaged, short, long, unknown")
    func others() {
        let (answer, _) = ModelESPDevice.answer(1, 0)
        for index in answer.indices {
            var damaged = answer
            damaged[index] ^= 1
            #expect(ESPMessage.received(damaged, from: .command) == nil)
        }
        for value in [[], Array(answer.dropLast()), answer + [0]] {
            #expect(ESPMessage.received(value, from: .command) == nil)
            #expect(ESPMessage.received(value, from: .firmware) == nil)
        }
        #expect(ESPMessage.received(ModelESPDevice.answer(9, 0).value, from: .command) == nil)
        #expect(ESPMessage.received(ESPMessage.stop, from: .command) == nil)
        let unknown = ModelESPDevice.sector(0, 9, wanted: 0).value
        #expect(ESPMessage.received(unknown, from: .firmware) == nil)
    }

    @Test("The packets of a sector are numbered, and together are the sector and its CRC")
    func packets() {
        var random = TestSeed(1)
        let firmware = (0..<5_000).map { _ in UInt8(random.below(256)) }
        for size in Array(20...530) {
            for (index, range) in [0..<4_096, 4_096..<5_000].enumerated() {
                let packets = ESPSector.packets(index, of: firmware, packetByteCount: size)
                #expect(packets.count <= 242)
                #expect(packets.allSatisfy { $0.count <= min(size, 512) })
                #expect(packets.allSatisfy { $0.prefix(2) == [UInt8(index), 0] })
                #expect(packets.dropLast().map { Int($0[2]) } == Array(0..<packets.count - 1))
                #expect(packets.last?[2] == 0xFF)
                // Firmware, and not only the CRC.
                #expect((packets.last?.count ?? 0) >= 3 + 1 + 2)
                let content = packets.flatMap { $0.dropFirst(3) }
                let crc = ESPMessage.bytes(CRC16.checksum(of: firmware[range]))
                #expect(content == Array(firmware[range]) + crc)
            }
        }
    }

    @Test("A short sector may have a single packet")
    func singlePacket() {
        let packets = ESPSector.packets(0, of: [0xE9], packetByteCount: 20)
        #expect(packets.count == 1 && packets[0].count == 6)
    }
}
