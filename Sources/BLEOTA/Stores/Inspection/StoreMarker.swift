import SystemPackage

/// The file that marks a directory as a store and states the store's format.
enum StoreMarker {
    static let name: FilePath.Component = "bleota-store"
    static let newName: FilePath.Component = "bleota-store.new"

    private static let text = "bleota store, format "
    private static let format = 1
    /// The maximum length of a marker of any format.
    private static let byteCountMax = 64

    enum Finding: Hashable {
        /// There is no marker, or the file has other content.
        case missing
        case present
        /// The marker states a format that this release does not support.
        case ofFormat(Int)
    }

    static func look(in directory: FilePath, on disk: Disk) throws(StoreError) -> Finding {
        let path = directory.appending(name)
        guard let byteCount = disk.fileByteCount(of: path), byteCount <= byteCountMax else {
            return .missing
        }
        let bytes = try DiskFile.open(path, on: disk, writable: false).read(0..<byteCount)
        let line = String(decoding: bytes, as: UTF8.self)
        guard line.hasPrefix(text), line.hasSuffix("\n"),
            let found = Int(line.dropFirst(text.count).dropLast())
        else { return .missing }
        return found == format ? .present : .ofFormat(found)
    }

    /// Marks a directory as a store. The step is durable and atomic.
    static func write(in directory: FilePath, on disk: Disk) throws(StoreError) {
        let bytes = Array("\(text)\(format)\n".utf8)
        let new = directory.appending(newName)
        try disk.removeFile(new)
        let file = try DiskFile.create(new, byteCount: bytes.count, on: disk)
        try file.write(bytes, at: 0)
        try file.synchronize()
        try disk.rename(new, to: directory.appending(name))
        try disk.synchronizeDirectory(directory)
    }
}
