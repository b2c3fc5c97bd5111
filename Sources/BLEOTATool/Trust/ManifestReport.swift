import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// The contents of a manifest, as text and as an event.
struct ManifestReport {
    private let manifests: [Manifest]
    private let manifest: Manifest
    private let keys: [VerifyingKey]

    /// - Parameters:
    ///   - prepared: the image; its variants differ only in their encoding.
    ///   - keys: the keys for which signatures are verified.
    init(_ prepared: Firmware, trusting keys: [VerifyingKey]) {
        manifests = prepared.variants.map(\.manifest)
        manifest = prepared.manifest
        self.keys = keys
    }

    func tell(_ reporter: Reporter) {
        reporter.event(
            JSONLine(event: "manifest").adding("name", manifest.name)
                .adding("version", manifest.version)
                .adding("bytes", manifest.decodedByteCount)
                .adding("sha256", HexText.text(manifest.decodedSHA256))
                .adding("blockBytes", manifest.blockByteCount)
                .adding("hardware", manifest.hardware?.name)
                .adding("lowestRevision", manifest.hardware.map { Int($0.revisions.lowerBound) })
                .adding("highestRevision", manifest.hardware.map { Int($0.revisions.upperBound) })
                .adding("component", manifest.component)
                .adding("counter", manifest.counter.map { Int($0) })
                .adding("expiry", manifest.expiry.map { Int(truncatingIfNeeded: $0) })
                .adding("signatures", signatures.map(\.id))
                .adding("tag", manifest.tag.hex)
        )
        for manifest in manifests {
            reporter.event(
                JSONLine(event: "form").adding("tag", manifest.tag.hex)
                    .adding("encoding", manifest.encodingName)
                    .adding("encodedBytes", manifest.imageByteCount)
                    .adding("base", manifest.baseSHA256.map { HexText.text($0) })
            )
        }
        for (name, value) in lines {
            let padding = String(repeating: " ", count: max(14 - name.count, 1))
            reporter.say(name + padding + ImageName.shown(value))
        }
    }

    private var lines: [(String, String)] {
        var lines = [("image", manifest.name ?? "unnamed")]
        lines.append(("size", "\(Units.grouped(manifest.decodedByteCount)) bytes"))
        lines.append(("sha256", HexText.text(manifest.decodedSHA256)))
        for manifest in manifests where manifest.encoding != nil {
            lines.append(("contains", encoding(of: manifest)))
        }
        if manifests.count > 1, manifests[manifests.count - 1].encoding == nil {
            lines.append(("or", "the image itself, for devices that do not decompress"))
        }
        if let version = manifest.version { lines.append(("version", version)) }
        if let address = manifest.loadAddress {
            lines.append(("address", "0x" + String(address, radix: 16)))
        }
        lines.append(("hardware", manifest.hardware.map { "\($0)" } ?? "unspecified"))
        if let component = manifest.component { lines.append(("component", component)) }
        lines.append(("counter", "\(manifest.counter ?? 0)"))
        if let expiry = manifest.expiry { lines.append(("expires", DayArgument.text(of: expiry))) }
        if signatures.isEmpty { lines.append(("signed by", "nobody")) }
        for signature in signatures {
            lines.append(("signed by", signature.id + signature.verdict))
        }
        return lines
    }

    private func encoding(of manifest: Manifest) -> String {
        let byteCount = Units.grouped(manifest.imageByteCount)
        let base = manifest.baseSHA256.map { " against \(HexText.text($0))" } ?? ""
        return "\(byteCount) bytes (\(manifest.encodingName ?? "uncompressed"))\(base)"
    }

    private var signatures: [(id: String, verdict: String)] {
        manifest.signatures.map { signature in
            let kind = SigningKind(signature.algorithm)
            let key = keys.first { $0.id == signature.keyID && $0.kind == kind }
            let verdict =
                switch key {
                case nil: ", not checked: no such key given"
                case let key? where manifest.isSigned(by: key): ", valid"
                default: ", not valid"
                }
            // The less common algorithms are shown, because they decide which devices can verify
            // the signature.
            let algorithm =
                switch kind {
                case .ed25519?: ""
                case let kind?: " (\(kind.name))"
                case nil: " (algorithm \(signature.algorithm.rawValue))"
                }
            return (signature.keyID.hex, algorithm + verdict)
        }
    }
}

extension Manifest {
    fileprivate var encodingName: String? {
        encoding.flatMap { EncodingName.text($0.compression, isSealed: $0.isSealed) }
    }
}
