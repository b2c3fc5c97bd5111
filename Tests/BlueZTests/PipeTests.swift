import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("The service of another protocol beside bleota's", .timeLimit(.minutes(1)))
struct PipeTests {
    private static let pipe = GATTPipeService(
        service: "8d53dc1d-1db7-4cd3-868b-8a527460aa84",
        characteristic: "da2e7828-fbce-4e01-ae9e-261174997c48"
    )

    @Test("it is offered and advertised as well, and a central's writes arrive in order")
    func writes() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client, name: "kitchen", pipe: Self.pipe)
        let advertised = bench.daemon.offers.values
            .compactMap { $0.content.properties?["ServiceUUIDs"]?.texts }
        #expect(advertised.count == 2)
        #expect(advertised.contains([Self.pipe.service]))
        for value in [[1, 2], [3]] as [[UInt8]] {
            try await bench.daemon.callOffered(
                "WriteValue",
                of: Self.pipe.characteristic,
                [.bytes(value)],
                attMTU: 247
            )
        }
        let link = try #require(await peripheral.acceptPipe())
        #expect(link.valueByteCountMax == 242)
        var arrived: [[UInt8]] = []
        while arrived.count < 2 { arrived += try await link.receive() }
        #expect(arrived == [[1, 2], [3]])
        await peripheral.stop()
        await #expect(throws: TransportError.self) { try await link.receive() }
        #expect(bench.daemon.offers.isEmpty)
    }

    @Test("without another protocol, there is one service and one advertisement")
    func alone() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client, name: "kitchen")
        #expect(bench.daemon.offers.count == 2)
        await peripheral.stop()
        #expect(await peripheral.acceptPipe() == nil)
    }
}
