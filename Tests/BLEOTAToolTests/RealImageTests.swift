import BLEOTA
import BLEOTATestSupport
import Foundation
import SystemPackage
import Testing

/// Images that real devices run: every file of the packages below `BLEOTA_FIRMWARE_DIR`, as
/// scripts/fetch-firmware.sh lays them out.
@Suite("Real images", .timeLimit(.minutes(10)))
struct RealImageTests {
    private static let root = ProcessInfo.processInfo.environment["BLEOTA_FIRMWARE_DIR"]
    private static let attMTUs = [23, 65, 185, 247, 498, 517]

    @Test(
        "Every real image is identical at the other end, at every MTU, in both write modes",
        .enabled(if: root != nil, "BLEOTA_FIRMWARE_DIR is not set; see scripts/fetch-firmware.sh")
    )
    func everyImage() async throws {
        let images = try Self.images()
        try #require(images.count > 10, "no images below \(Self.root ?? "")")
        var lines: [String] = []
        for image in images {
            let expected = try #require(Self.content(of: image.path))
            var transferCount = 0
            for attMTU in Self.attMTUs {
                for delivery in Datagram.Delivery.allCases {
                    let copy = try await Self.push(image.path, attMTU, delivery)
                    // Not as one expression: a failure would print both images.
                    let isIdentical = copy == expected
                    #expect(isIdentical, "\(image.path) at \(attMTU), \(delivery)")
                    transferCount += 1
                }
            }
            lines.append(
                "\(image.package)  \(image.name)  \(expected.count) bytes  \(transferCount) pushes"
            )
        }
        print("Real images, byte-identical at MTU \(Self.attMTUs), in both write modes:")
        for line in lines { print("  \(line)") }
    }

    @Test(
        "The tool pushes an image of each package, at every MTU, in both write modes",
        .enabled(if: root != nil, "BLEOTA_FIRMWARE_DIR is not set; see scripts/fetch-firmware.sh")
    )
    func tool() async throws {
        let place = ToolDirectory()
        let packages = Dictionary(grouping: try Self.images(), by: \.package)
        for (package, images) in packages {
            let image = images[0].path
            let expected = try #require(Self.content(of: image))
            for attMTU in Self.attMTUs {
                for mode in ["with-response", "without-response"] {
                    let result = try await place.run(
                        "push",
                        image,
                        "--loopback",
                        "--force",
                        "--output",
                        place.path("copy"),
                        "--mtu",
                        "\(attMTU)",
                        "--write-mode",
                        mode
                    )
                    #expect(result.status == 0, "\(result.errors)")
                    #expect(place.bytes("copy") == expected, "\(package) at \(attMTU), \(mode)")
                }
            }
        }
    }

    /// The regular files that are firmware, the smallest of each package first.
    private static func images() throws -> [(package: String, name: String, path: String)] {
        let root = URL(fileURLWithPath: root ?? "").resolvingSymlinksInPath()
        let texts = ["doc", "metainfo", "lintian", "man", "bug"]
        var found: [(package: String, name: String, path: String, byteCount: Int)] = []
        let packages = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
        for package in packages where !package.hasPrefix(".") {
            let tree = root.appendingPathComponent(package)
            for name in FileManager.default.subpaths(atPath: tree.path) ?? [] {
                let parts = name.split(separator: "/").map(String.init)
                guard parts.count > 2, parts[0] == "usr", ["share", "lib"].contains(parts[1]),
                    !texts.contains(parts[2])
                else { continue }
                let path = tree.appendingPathComponent(name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                guard attributes[.type] as? FileAttributeType == .typeRegular,
                    let byteCount = (attributes[.size] as? NSNumber)?.intValue, byteCount > 0
                else { continue }
                found.append((package, name, path, byteCount))
            }
        }
        return found.sorted { ($0.package, $0.byteCount) < ($1.package, $1.byteCount) }
            .map { ($0.package, $0.name, $0.path) }
    }

    private static func push(
        _ path: String,
        _ attMTU: Int,
        _ delivery: Datagram.Delivery
    ) async throws -> [UInt8] {
        let prepared = try Firmware(FirmwareFile(contentsOf: FilePath(path)))
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: attMTU))
        let store = MemoryStore()
        var options = PushOptions()
        options.delivery = delivery
        async let served: Void = serve(over: far, into: store)
        _ = try await BLEOTA.push(prepared, over: near, options: options)
        near.close(.local)
        await served
        return await store.currentBytes
    }

    // MARK: - What should arrive, without the code under test

    /// The bytes of a file, and of one in Intel HEX the largest run of data with gaps of at most
    /// 64 KiB filled.
    private static func content(of path: String) -> [UInt8]? {
        guard let bytes = FileManager.default.contents(atPath: path).map({ [UInt8]($0) }) else {
            return nil
        }
        guard path.hasSuffix("hex") else { return bytes }
        var memory: [Int: UInt8] = [:]
        var base = 0
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let digits = Array(line.dropFirst())
            let record = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            let data = record[4..<4 + Int(record[0])]
            switch record[3] {
            case 0:
                let address = base + Int(record[1]) << 8 + Int(record[2])
                for (index, byte) in data.enumerated() { memory[address + index] = byte }
            case 2: base = (Int(record[4]) << 8 + Int(record[5])) << 4
            case 4: base = (Int(record[4]) << 8 + Int(record[5])) << 16
            default: break
            }
        }
        return largestRegion(of: memory)
    }

    private static func largestRegion(of memory: [Int: UInt8]) -> [UInt8] {
        var regions: [[UInt8]] = []
        var last = Int.min / 2
        for address in memory.keys.sorted() {
            if address - last - 1 > 65_536 {
                regions.append([])
            } else {
                regions[regions.count - 1] += Array(repeating: 0xFF, count: address - last - 1)
            }
            regions[regions.count - 1].append(memory[address]!)
            last = address
        }
        return regions.max { $0.count < $1.count } ?? []
    }
}
