extension ManifestRefusal {
    /// Reads a manifest into empty fields, without its signatures.
    ///
    /// Not inlined, since in a microcontroller it is less code with registers of its own.
    @inline(never)
    package static func read(
        _ manifest: RawSpan,
        into fields: inout ManifestFields
    ) throws(ManifestRefusal) {
        do throws(ManifestError) {
            try fields.read(manifest)
        } catch {
            if case .unknownAttribute(let type, byteOffset: _) = error {
                throw ManifestRefusal(.unknownAttribute, detail: UInt64(type.rawValue))
            }
            throw ManifestRefusal(.malformedManifest)
        }
    }
}
