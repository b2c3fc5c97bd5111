import Glibc
package import SystemPackage

extension Firmware {
    /// Writes a bundle: one file with all variants, their manifests and their signatures. The
    /// file appears at `path` once it is complete and durable; it replaces any file there.
    ///
    /// - Parameter path: the path of the bundle, by convention with the extension `bleota`.
    /// - Throws: a ``FirmwareError``. Its code is `io` if the disk is full or fails, or if the
    ///   file is too large for the file system; `cannotWrite` if the file can't be written for
    ///   another reason; and a different code if the image can't be read.
    public func write(to path: String) throws(FirmwareError) {
        try writeBundle(to: FilePath(path))
    }

    /// Writes all variants with their manifests into one file (spec/bundle.md). The file
    /// appears at `path` once it is complete and durable; it replaces any file there.
    ///
    /// ```swift
    /// let signed = try Firmware(image, version: "2", restrictions: lamps, signedBy: [key])
    /// try signed.writeBundle(to: "firmware.bleota")
    /// ```
    ///
    /// - Throws: a ``FirmwareError``. Its code is `io` if the disk is full or fails, or if the
    ///   file is too large for the file system; `cannotWrite` if the file can't be written for
    ///   another reason; and a different code if the image can't be read.
    package func writeBundle(to path: FilePath) throws(FirmwareError) {
        let disk = Disk()
        let directory = path.removingLastComponent()
        // A random number, because the process ID may be the same in each run of a container.
        let new = directory.appending(".bleota-bundle-\(UInt64.random(in: .min ... .max))")
        do {
            let file = try DiskFile.create(new, byteCount: bundleByteCount, on: disk)
            do {
                try write(to: file)
                try file.synchronize()
                try disk.rename(new, to: path)
            } catch {
                try? disk.removeFile(new)
                throw error
            }
            try disk.synchronizeDirectory(directory.isEmpty ? "." : directory)
        } catch let error as FirmwareError {
            throw error
        } catch {
            let fileName = ImageName.shown(path.string)
            let cause = (error as? StoreError)?.errno
            let errno = cause.map { " (\($0))" } ?? ""
            throw FirmwareError(
                [.noSpace, .ioError, .fileTooLarge].contains(cause) ? .io : .cannotWrite,
                fileName: fileName,
                "\(fileName) can't be written\(errno); choose a file in a writable directory, on a "
                    + "disk with enough room."
            )
        }
    }

    private var bundleByteCount: Int {
        variants.reduce(ImageBundle.head(variantCount: variants.count).count) {
            byteCount,
            variant in
            byteCount + ImageBundle.head(of: variant).count + variant.byteCount
        }
    }

    private func write(to file: DiskFile) throws {
        var end = 0
        func append(_ bytes: [UInt8]) throws(StoreError) {
            try file.write(bytes, at: end)
            end += bytes.count
        }
        try append(ImageBundle.head(variantCount: variants.count))
        for variant in variants {
            try append(ImageBundle.head(of: variant))
            let start = end
            while end < start + variant.byteCount {
                let byteCount = min(1 << 16, start + variant.byteCount - end)
                try append(variant.read(at: end - start, byteCount: byteCount))
            }
        }
    }
}
