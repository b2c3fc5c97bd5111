import SystemPackage
import Testing

@testable import BLEOTA

/// What embedders print and log.
@Suite("Descriptions")
struct DescriptionTests {
    private let image = RandomImage(seed: 73, byteCount: 30_000)

    @Test("Each description is one short line without bytes", .timeLimit(.minutes(1)))
    func lines() async throws {
        let device = try await ServedSocket()
        var lines: [String] = []
        for try await update in image.prepared.pushing(to: device.target) {
            lines.append("\(update)")
            if case .verified(let report) = update { lines.append("\(report)") }
        }
        try await device.awaits { if case .stored = $0.kind { true } else { false } }
        lines += device.events.map { "\($0)" }
        lines += ["\(image.prepared)", "\(image.prepared.manifest)", "\(device.target)"]
        lines.append("\(try #require(await device.store.current))")
        lines.append("\(Datagram(channel: .data, bytes: image.bytes))")
        lines += [TransferError(.silent), TransferError(.stalled)].map { "\($0)" }
        for line in lines {
            #expect(!line.isEmpty && line.count <= 160, "\(line)")
            #expect(!line.contains("\n"))
            #expect(!line.contains(#/\d+, \d+, \d+, \d+/#), "\(line)")
            // A type that is printed as Swift prints it has its members in it.
            #expect(!line.contains(#/\w+: \w+\(|BLEOTA\./#), "\(line)")
        }
    }

    @Test("A bundle takes no options: it says itself what it is")
    func bundle() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path.appending("firmware.bleota").string
        try await Firmware(bytes: image.bytes, name: "firmware.bin").write(to: path)
        var (described, plain) = (FirmwareOptions(), FirmwareOptions())
        described.version = "2.1.0"
        plain.isCompressed = false
        for options in [described, plain] {
            let error = await #expect(throws: FirmwareError.self) {
                try await Firmware(contentsOf: path, options: options)
            }
            #expect(error?.code == .alreadyDescribed)
        }
        #expect(try await Firmware(contentsOf: path).byteCount == image.bytes.count)
    }
}
