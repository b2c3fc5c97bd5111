import BLEOTACore
import BLEOTASimulation
import Testing

@testable import BLEOTASMP
@testable import Baselines

/// Uploads over the modelled radio, in virtual time.
@Suite struct UploadRadioTests {
    private static let imageByteCount = 1 << 18

    @Test(
        "with several buffers, an upload takes the link's whole rate, and nothing is dropped",
        arguments: [(7_500, 6), (15_000, 4), (30_000, 4)]
    )
    func rate(interval: Int64, packetCount: Int) throws {
        let radio = Self.radio(interval, packetCount)
        let several = try Self.run(radio, bufferCount: 4)
        let single = try Self.run(radio, bufferCount: 1)
        let link = try Self.bytesPerSecondMax(radio)
        let rate = several.bytesPerSecond / link
        print(
            "\(interval) µs × \(packetCount): \(rate), \(single.bytesPerSecond / link)"
        )
        #expect(rate >= 0.85)
        #expect(several.dropCount == 0)
        #expect(several.repeatCount == 0)
        #expect(several.bytesPerSecond > single.bytesPerSecond)
    }

    @Test("a device with fewer buffers than it states loses requests, and has the image in the end")
    func fewerBuffers() throws {
        let result = try Self.run(
            Self.radio(15_000, 4),
            bufferCount: 2,
            stated: 6,
            handlingTime: .milliseconds(60)
        )
        #expect(result.dropCount > 0)
        #expect(result.dropCount < 40)
    }

    // MARK: - Support

    private struct Result {
        let bytesPerSecond: Double
        let dropCount: Int
        let repeatCount: Int
    }

    private static func radio(_ interval: Int64, _ packetCount: Int) -> RadioSettings {
        var radio = RadioSettings()
        radio.connectionInterval = Microseconds(interval)
        radio.packetCountMax = packetCount
        radio.attMTU = 247
        return radio
    }

    /// The rate of a stream that waits for nothing.
    private static func bytesPerSecondMax(_ radio: RadioSettings) throws -> Double {
        var stream = BaselineTransfer(.rawStream)
        stream.radio = radio
        stream.imageByteCount = imageByteCount
        return try stream.run().unwrapped.goodputBytesPerSecond
    }

    private static func run(
        _ radio: RadioSettings,
        bufferCount: Int,
        stated: Int? = nil,
        handlingTime: Microseconds = .milliseconds(2)
    ) throws -> Result {
        let setup = BaselineSetup(radio, imageByteCount: imageByteCount)
        let limits = BufferLimits(
            packetByteCountMax: 2_475,
            requestCountMax: (stated ?? bufferCount) - 1
        )
        var pair = BaselinePair(
            RadioUploadSender(setup, limits),
            RadioUploadReceiver(bufferCount: bufferCount, handlingTime: handlingTime),
            radio,
            seed: 1
        )
        guard pair.run(until: Instant(microseconds: 600_000_000)) else { throw Missing() }
        #expect(pair.receiver.image.isWhole(imageByteCount))
        let seconds = Double((pair.now - Instant(microseconds: 0)).rawValue) / 1e6
        return Result(
            bytesPerSecond: Double(imageByteCount) / seconds,
            dropCount: pair.receiver.dropCount,
            repeatCount: pair.sender.repeatCount
        )
    }
}
