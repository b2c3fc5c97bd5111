import BLEOTA
import BLEOTABlueZ
import BLEOTAWire
import BlueZ
import Foundation

/// What a link can carry, and what a push makes of it: a bare flood of write commands, one write
/// request at a time, a push over GATT and a push over an L2CAP channel, in turn, to a device that
/// runs `bleota receive --advertise`.
///
///     BluetoothSpeed ADAPTER ADDRESS ROUNDS FILE
///
/// The file gets the figures as a line of JSON for each way.
@main
struct BluetoothSpeed {
    private static let imageByteCount = 1 << 20
    private static let requestCount = 64

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let address = BluetoothAddress(arguments[2]),
            let roundCount = Int(arguments[3]), roundCount > 0
        else {
            print("usage: BluetoothSpeed ADAPTER ADDRESS ROUNDS FILE")
            return
        }
        let client = try await BlueZClient.open()
        let adapter = try client.readyAdapter(arguments[1])
        let device = try await DeviceSearch(for: .address(address), over: adapter)
            .find(within: .seconds(30))
        var floods: [Double] = []
        var requests: [Double] = []
        var pushes: [Double] = []
        var pushTimes = ProcessorTimes()
        var floodTimes = ProcessorTimes()
        var channelPushes: [Double] = []
        for round in 0..<roundCount {
            channelPushes.append(try await Self.push(2 * round, to: device, overChannel: true).rate)
            let before = ProcessorTimes.now
            let pushed = try await Self.push(2 * round + 1, to: device, overChannel: false)
            pushTimes = ProcessorTimes.now - before
            pushes.append(pushed.rate)
            let frameByteCount = pushed.frameByteCount
            try await device.connect(within: .seconds(60))
            let beforeFlood = ProcessorTimes.now
            floods.append(try await flood(device, frameByteCount))
            floodTimes = ProcessorTimes.now - beforeFlood
            requests.append(try await oneAtATime(device, frameByteCount))
            try await device.disconnect()
        }
        let (flood, request, push) = (median(floods), median(requests), median(pushes))
        print("flood of write commands   \(summary(floods))")
        print("one request at a time     \(summary(requests))")
        print("push over GATT            \(summary(pushes))")
        print("push over L2CAP           \(summary(channelPushes))")
        print("processor time of the last flood: \(floodTimes)")
        print("processor time of the last push:  \(pushTimes)")
        print("push of flood             \(Int((push / flood * 100).rounded())) %")
        let channelPush = median(channelPushes)
        print("L2CAP push of flood       \(Int((channelPush / flood * 100).rounded())) %")
        let tenths = Int((push / request * 10).rounded())
        print("push of requests          \(tenths / 10).\(tenths % 10) times")
        let ways = [
            ("flood of write commands", floods), ("one request at a time", requests),
            ("push", pushes), ("push over L2CAP", channelPushes),
        ]
        try ways.map(line).joined().write(toFile: arguments[4], atomically: true, encoding: .utf8)
    }

    private static func push(
        _ round: Int,
        to device: Device,
        overChannel: Bool
    ) async throws -> (rate: Double, frameByteCount: Int) {
        let link = try await CentralTransport.connect(
            to: device,
            within: .seconds(60),
            allowsChannel: overChannel
        )
        precondition(link.usesChannel == overChannel, "the device offers no L2CAP channel")
        let frameByteCount =
            ChunkSize(fittingFrameOf: link.limits.dataByteCountMax).byteCount + 4
        let report = try await BLEOTA.push(image(round), over: link)
        link.close(.local)
        await link.awaitEnd()
        return (report.goodputBytesPerSecond, frameByteCount)
    }

    /// Another image each time, so that the device has nothing of it.
    private static func image(_ round: Int) throws -> Firmware {
        var generator = SeededGenerator(seed: .random(in: .min ... .max))
        let bytes = (0..<imageByteCount).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        return try Firmware(FirmwareFile(bytes: bytes, name: "round \(round)"))
    }

    /// As many bytes as the image has, in frames of the push's size, until a read request behind
    /// them has come back.
    private static func flood(
        _ device: Device,
        _ frameByteCount: Int
    ) async throws -> Double {
        let service = try await device.service(BluetoothUUID(GATTIdentifiers.service)!)
        let data = try await service.characteristic(BluetoothUUID(GATTIdentifiers.data)!)
        let info = try await service.characteristic(BluetoothUUID(GATTIdentifiers.info)!)
        let socket = try await data.acquireWrite()
        defer { socket.close() }
        let frame = [UInt8](repeating: 0x55, count: frameByteCount)
        let count = imageByteCount / (frameByteCount - 4)
        let duration = try await ContinuousClock().measure {
            for _ in 0..<count { try await socket.send(frame) }
            _ = try await info.read()
        }
        return Double(count * (frameByteCount - 4)) / seconds(duration)
    }

    private static func oneAtATime(
        _ device: Device,
        _ frameByteCount: Int
    ) async throws -> Double {
        let service = try await device.service(BluetoothUUID(GATTIdentifiers.service)!)
        let data = try await service.characteristic(
            BluetoothUUID(GATTIdentifiers.dataWithResponse)!
        )
        let frame = [UInt8](repeating: 0x55, count: frameByteCount)
        let duration = try await ContinuousClock().measure {
            for _ in 0..<requestCount { try await data.write(frame, as: .request) }
        }
        return Double(requestCount * (frameByteCount - 4)) / seconds(duration)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func summary(_ rates: [Double]) -> String {
        let sorted = rates.sorted()
        return "\(kilobytes(median(rates))) kB/s (\(kilobytes(sorted[0])) to "
            + "\(kilobytes(sorted[sorted.count - 1])) in \(rates.count) rounds)"
    }

    /// In kB/s, as `scripts/guest-figures.py` takes it.
    private static func line(_ way: String, _ rates: [Double]) -> String {
        let sorted = rates.sorted()
        return #"{"way": "\#(way)", "rounds": \#(rates.count), "#
            + #""median kB/s": \#(kilobytes(median(rates))), "#
            + #""lowest": \#(kilobytes(sorted[0])), "#
            + #""highest": \#(kilobytes(sorted[sorted.count - 1]))}"# + "\n"
    }

    private static func kilobytes(_ rate: Double) -> String {
        let tenths = Int((rate / 100).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
