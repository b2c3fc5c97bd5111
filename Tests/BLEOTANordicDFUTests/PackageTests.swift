import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTANordicDFU

/// Packages, whole and damaged.
@Suite("DFU packages")
struct PackageTests {
    private static let firmware = Array("firmware".utf8)

    /// An init packet of Secure DFU for this firmware, by hand.
    private static func secureInit(
        _ firmware: [UInt8],
        kind: UInt8 = 0,
        byteCount: Int? = nil
    ) -> [UInt8] {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [number << 3 | 2, UInt8(bytes.count)] + bytes
        }
        let hash = [8, 3] + field(2, FirmwareFile.sha256(of: firmware).reversed())
        let count = UInt8(byteCount ?? firmware.count)
        let sizes: [UInt8] =
            switch kind {
            case 0: [7 << 3, count]
            case 1: [5 << 3, count]
            case 2: [6 << 3, count]
            default: [5 << 3, count - 3, 6 << 3, 3]
            }
        let fields = [8, 1, 16, 52, 32, kind] + sizes + field(8, hash)
        return field(1, [8, 1] + field(2, fields))
    }

    private static func legacyInit(_ firmware: [UInt8]) -> [UInt8] {
        let crc = CRC16.checksum(of: firmware, initial: 0xFFFF)
        return [255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0xFE, 0xFF]
            + [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }

    private static let secureManifest = """
        {"manifest": {"application": {"bin_file": "app.bin", "dat_file": "app.dat"}}}
        """
    private static let legacyManifest = """
        {"manifest": {"application": {"bin_file": "app.bin", "dat_file": "app.dat",
        "init_packet_data": {"firmware_crc16": 1}}, "dfu_version": 0.5}}
        """

    private static func archive(
        manifest: String = secureManifest,
        firmware: [UInt8] = firmware,
        initPacket: [UInt8]? = nil
    ) -> TestArchive {
        TestArchive([
            ("manifest.json", Array(manifest.utf8)),
            ("app.bin", firmware),
            ("app.dat", initPacket ?? secureInit(firmware)),
        ])
    }

    private static func package(_ bytes: [UInt8]) throws -> DFUPackage {
        try DFUPackage(FirmwareFile(bytes: bytes, name: "update"))
    }

    private static func error(of bytes: [UInt8]) -> FirmwareError? {
        do {
            _ = try package(bytes)
            return nil
        } catch {
            return error as? FirmwareError
        }
    }

    @Test("A package for Secure DFU is read")
    func secure() throws {
        let package = try Self.package(Self.archive().bytes)
        #expect(package.format == .secure)
        let initPacket = Self.secureInit(Self.firmware)
        let part = DFUPart(.application, initPacket: initPacket, firmware: Self.firmware)
        #expect(package.parts == [part])
        #expect(package.firmwareByteCount == 8)
    }

    @Test(
        "A package for Legacy DFU is read, with each version of its format",
        arguments: [0.5, 0.8]
    )
    func legacy(version: Double) throws {
        let manifest = Self.legacyManifest.replacing("0.5", with: "\(version)")
        // Version 0.8 has more than a CRC, which only devices check.
        let initPacket = Self.legacyInit(Self.firmware) + (version > 0.5 ? [1, 2, 3] : [])
        let archive = Self.archive(manifest: manifest, initPacket: initPacket)
        let package = try Self.package(archive.bytes)
        #expect(package.format == .legacy)
        #expect(package.parts[0].initPacket == initPacket)
        #expect(package.parts[0].applicationByteCount == 8)
    }

    @Test("SoftDevice and bootloader come before the application, with their sizes")
    func order() throws {
        let manifest = """
            {"manifest": {"application": {"bin_file": "app.bin", "dat_file": "app.dat"},
            "softdevice_bootloader": {"bin_file": "sd.bin", "dat_file": "sd.dat",
            "info_read_only_metadata": {"sd_size": 5, "bl_size": 3}}}}
            """
        var archive = Self.archive(manifest: manifest)
        archive.files += [
            ("sd.bin", Self.firmware), ("sd.dat", Self.secureInit(Self.firmware, kind: 3)),
        ]
        let package = try Self.package(archive.bytes)
        #expect(package.parts.map(\.kind) == [.softdeviceAndBootloader, .application])
        #expect(package.parts[0].softdeviceByteCount == 5)
        #expect(package.parts[0].bootloaderByteCount == 3)
    }

    @Test("The packages that other makers' tools build are read", .needsDevices)
    func otherMakers() async throws {
        let packages = try await TestPackages.usual.value
        let secure = try DFUPackage(packages.file("secure-all.zip"))
        #expect(secure.format == .secure)
        #expect(secure.parts.map(\.kind) == [.softdeviceAndBootloader, .application])
        #expect(secure.parts[1].firmware.count == 30_001)
        let legacy = try DFUPackage(packages.file("legacy-all.zip"))
        #expect(legacy.format == .legacy)
        #expect(legacy.parts.map(\.kind) == [.softdeviceAndBootloader, .application])
        #expect(legacy.parts[0].softdeviceByteCount == 8_192)
        #expect(legacy.parts[0].bootloaderByteCount == 8_092)
        #expect(legacy.parts[1].initPacket.count == 14)
    }

    @Test("Files that are no DFU package are unsuitable, and the error says what to build")
    func unsuitable() {
        let others: [[UInt8]] = [
            Array("raw firmware".utf8),
            TestArchive([("firmware.bin", Self.firmware)]).bytes,
            TestArchive([("manifest.json", Array(#"{"files": []}"#.utf8))]).bytes,
            TestArchive((0..<17).map { ("file\($0)", [1]) }).bytes,
        ]
        for bytes in others {
            let error = Self.error(of: bytes)
            #expect(error?.code == .unsuitable)
            #expect(error?.description.contains("nrfutil pkg generate") == true)
            #expect(error?.description.contains("adafruit-nrfutil dfu genpkg") == true)
        }
    }

    private static let damaged: [(TestArchive, String)] = [
        (archive(manifest: "{"), "manifest.json that can't be read"),
        (archive(manifest: #"{"manifest": {}}"#), "no image"),
        (archive(manifest: #"{"manifest": {"application": {}}}"#), "names no firmware"),
        (archive(manifest: secureManifest.replacing("app.bin", with: "x.bin")), "lacks 'x.bin'"),
        (archive(firmware: []), "empty"),
        (archive(initPacket: [1, 2, 3]), "an unreadable init packet"),
        (archive(initPacket: secureInit(firmware, kind: 2)), "init packet of type 'bootloader'"),
        (archive(initPacket: secureInit(firmware, byteCount: 9)), "states 9 bytes"),
        (archive(initPacket: secureInit(Array("FIRMWARE".utf8))), "does not match"),
        (archive(manifest: legacyManifest, initPacket: [1]), "an unreadable init packet"),
        (archive(manifest: legacyManifest, initPacket: legacyInit([1])), "does not match"),
        (
            archive(
                manifest: legacyManifest.replacing("application", with: "softdevice_bootloader")
                    .replacing(
                        #""bin_file""#,
                        with: #""sd_size": 9223372036854775807, "bin_file""#
                    ),
                initPacket: legacyInit(firmware)
            ), "bytes for its SoftDevice and bootloader"
        ),
        (TestArchive(archive().files + [("../app.bin", [1])]), "whose name includes a path"),
        (TestArchive(archive().files + [("app.bin", [1])]), "twice"),
    ]

    @Test("A damaged package is malformed, and the error says how", arguments: damaged.indices)
    func malformed(index: Int) {
        let (archive, clause) = Self.damaged[index]
        let error = Self.error(of: archive.bytes)
        #expect(error?.code == .malformedPackage)
        #expect(error?.description.contains(clause) == true, "\(error?.description ?? "none")")
        #expect(error?.description.hasPrefix("update ") == true)
    }

    @Test("A package that ends early is never read, unless only the end of its last record lacks")
    func truncated() {
        let bytes = Self.archive().bytes
        // minizip needs neither the length of the comment nor the zeros in front of it.
        for count in 1..<bytes.count - 4 {
            #expect(Self.error(of: Array(bytes.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test("A package with any bit changed is refused, or means the same")
    func flipped() throws {
        for archive in [
            Self.archive(),
            Self.archive(
                manifest: Self.legacyManifest,
                initPacket: Self.legacyInit(Self.firmware)
            ),
        ] {
            let bytes = archive.bytes
            let parts = try Self.package(bytes).parts
            for index in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[index] ^= 1 << UInt8(bit)
                    if let package = try? Self.package(changed) {
                        #expect(package.parts == parts, "bit \(bit) of byte \(index)")
                    }
                }
            }
        }
    }

    @Test("Bytes at random never make a package, nor a trap")
    func random() {
        for seed in TestSeed.rounds(TestScope.choose(500, full: 20_000)) {
            var random = TestSeed(seed)
            var bytes = Self.archive().bytes
            for _ in 0..<random.below(20) {
                let start = random.below(bytes.count)
                bytes.replaceSubrange(
                    start..<min(start + random.below(9), bytes.count),
                    with: random.bytes(random.below(9))
                )
            }
            _ = try? Self.package(bytes)
        }
    }

    @Test("CRC-16 is the one of its published check value")
    func crc() {
        #expect(CRC16.checksum(of: Array("123456789".utf8), initial: 0xFFFF) == 0x29B1)
    }
}
