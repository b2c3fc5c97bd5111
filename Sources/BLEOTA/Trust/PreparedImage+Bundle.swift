import Glibc
public import SystemPackage

extension PreparedImage {
    /// Writes all forms with their manifests into one file (spec/bundle.md), which appears under
    /// its name when it is whole and durable, in place of one that was there.
    ///
    /// ```swift
    /// let signed = try PreparedImage(image, version: "2", restrictions: lamps, signedBy: [key])
    /// try signed.writeBundle(to: "firmware.bleota")
    /// ```
    public func writeBundle(to path: FilePath) throws(ImageError) {
        let fileName = ImageName.shown(path.string)
        var new = path
        new.extension = (path.extension ?? "") + ".new"
        do {
            let file = try FileDescriptor.open(
                new,
                .writeOnly,
                options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
            try file.closeAfter {
                try file.writeAll(ImageBundle.head(formCount: forms.count))
                for form in forms {
                    try file.writeAll(ImageBundle.head(of: form))
                    for offset in stride(from: 0, to: form.byteCount, by: 1 << 16) {
                        let byteCount = min(1 << 16, form.byteCount - offset)
                        try file.writeAll(form.read(at: offset, byteCount: byteCount))
                    }
                }
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
            guard rename(new.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(new.string)
            if let error = error as? ImageError { throw error }
            throw ImageError(
                .cannotWrite,
                fileName: fileName,
                "\(fileName) can't be written (\(error)); name a file in a directory that can be, "
                    + "on a disk with room for it."
            )
        }
    }
}
