import BLEOTA

extension DFUPart {
    /// Takes the files of one image from a package.
    init(
        _ kind: Kind,
        _ entry: PackageManifest.Entry,
        in archive: ZIPArchive
    ) throws(PackageProblem) {
        let firmware = try Self.file(entry.firmwareFileName, "firmware", of: kind, in: archive)
        let initPacket = try Self.file(
            entry.initPacketFileName,
            "init packet",
            of: kind,
            in: archive
        )
        if firmware.isEmpty { throw .malformed("has an empty \(kind.rawValue)") }
        let (softdevice, bootloader) =
            switch kind {
            case .application: (0, 0)
            case .softdevice: (firmware.count, 0)
            case .bootloader: (0, firmware.count)
            case .softdeviceAndBootloader:
                (
                    Self.byteCount(entry.softdeviceByteCount),
                    Self.byteCount(entry.bootloaderByteCount)
                )
            }
        self.init(
            kind,
            initPacket: initPacket,
            firmware: firmware,
            softdeviceByteCount: softdevice,
            bootloaderByteCount: bootloader
        )
    }

    /// A stated length, clamped to a range that no package exceeds, so that sums can't overflow.
    private static func byteCount(_ stated: Int?) -> Int {
        min(max(stated ?? 0, 0), DFUPackage.byteCountMax)
    }

    private static func file(
        _ name: String?,
        _ role: String,
        of kind: Kind,
        in archive: ZIPArchive
    ) throws(PackageProblem) -> [UInt8] {
        guard let name else {
            throw .malformed("names no \(role) for its \(kind.rawValue) in its manifest")
        }
        guard let content = archive.files[name] else {
            throw .malformed("lacks '\(name)', the \(role) for its \(kind.rawValue)")
        }
        return content
    }

    /// Checks an image for Secure DFU against its init packet.
    func checkSecure() throws(PackageProblem) {
        guard let packet = SecureInitPacket(initPacket) else {
            throw .malformed("has an unreadable init packet for its \(kind.rawValue)")
        }
        guard let packetKind = packet.kind, let byteCount = packet.firmwareByteCount else {
            return
        }
        if packetKind != kind {
            throw .malformed(
                "has an init packet of type '\(packetKind.rawValue)' for its \(kind.rawValue)"
            )
        }
        if byteCount != firmware.count { throw wrongLength(expected: byteCount) }
        if let sha256 = packet.sha256, sha256 != FirmwareFile.sha256(of: firmware) {
            throw .malformed("has an init packet that does not match its \(kind.rawValue)")
        }
    }

    /// Checks an image for Legacy DFU against its init packet and the sizes in the manifest.
    func checkLegacy() throws(PackageProblem) {
        guard let packet = LegacyInitPacket(initPacket) else {
            throw .malformed("has an unreadable init packet for its \(kind.rawValue)")
        }
        let byteCount = softdeviceByteCount + bootloaderByteCount + applicationByteCount
        if byteCount != firmware.count { throw wrongLength(expected: byteCount) }
        if let crc = packet.crc, crc != CRC16.checksum(of: firmware, initial: 0xFFFF) {
            throw .malformed("has an init packet that does not match its \(kind.rawValue)")
        }
    }

    private func wrongLength(expected byteCount: Int) -> PackageProblem {
        .malformed(
            "states \(byteCount) bytes for its \(kind.rawValue), but contains "
                + "\(firmware.count)"
        )
    }
}
