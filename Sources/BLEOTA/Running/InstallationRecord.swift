import BLEOTACore
package import SystemPackage

/// Which image is being installed and how often that was tried, written down in the directory of a
/// ``DirectoryStore``, so that who is started again after a power cut goes on.
///
///     installing → SHA256.ATTEMPTS[.PROCESS]    a link, for a link is replaced whole
///
/// PROCESS names the program that installs, which may outlive the process that has started it:
/// digits, letters and hyphens, in the caller's words.
package struct InstallationRecord: Sendable {
    private let link: FilePath
    private let directory: FilePath
    private let disk: Disk

    /// The record in this directory, which is there.
    package init(directory: FilePath) {
        self.init(directory: directory, on: Disk())
    }

    init(directory: FilePath, on disk: Disk) {
        self.directory = directory
        self.disk = disk
        link = directory.appending(StoreForm.installing)
    }

    /// How often it was begun to install this image and not done, also by processes before this
    /// one.
    package func attemptCount(of sha256: [UInt8]) -> Int {
        guard let target = (try? disk.holding(directory))?.linkTarget(of: link),
            let attempts = Self.attempts(in: target), attempts.sha256 == sha256
        else { return 0 }
        return attempts.count
    }

    /// The program that installed when this was written last, whatever it installed.
    package var process: String? {
        let target = (try? disk.holding(directory))?.linkTarget(of: link)
        return target.flatMap(Self.attempts)?.process
    }

    /// What a link says that leads there; `nil` where that is nothing.
    static func attempts(
        in target: FilePath
    ) -> (sha256: [UInt8], count: Int, process: String?)? {
        let parts = target.string.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let sha256 = HexText.bytes(parts[0]),
            sha256.count == 32, let count = UInt8(parts[1])
        else { return nil }
        guard parts.count == 3 else { return (sha256, Int(count), nil) }
        guard (1...processByteCountMax).contains(parts[2].utf8.count),
            parts[2].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { return nil }
        return (sha256, Int(count), String(parts[2]))
    }

    /// A number of a process, a time and a part of a UUID have room in it.
    private static let processByteCountMax = 64

    /// Notes, durably, that one more attempt begins.
    package func begin(_ sha256: [UInt8]) throws(StoreError) {
        let disk = try disk.holding(directory)
        let count = min(attemptCount(of: sha256) + 1, Int(UInt8.max))
        try disk.replaceLink(link, target: FilePath("\(HexText.text(sha256)).\(count)"))
        try disk.synchronizeDirectory(directory)
    }

    /// Notes which program installs now. A record that is lost with the power is of no use then.
    package func note(process: String, of sha256: [UInt8]) throws(StoreError) {
        let disk = try disk.holding(directory)
        let count = attemptCount(of: sha256)
        let target = FilePath("\(HexText.text(sha256)).\(count).\(process)")
        precondition(Self.attempts(in: target) != nil, "not the name of a process: \(process)")
        try disk.replaceLink(link, target: target)
    }

    /// Notes, durably, that it is installed.
    package func end() throws(StoreError) {
        let disk = try disk.holding(directory)
        try disk.removeFile(link)
        try disk.synchronizeDirectory(directory)
    }
}
