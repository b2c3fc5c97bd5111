import BLEOTACore
package import SystemPackage

/// The image that is being installed and the number of attempts, recorded in the directory of a
/// ``DirectoryStore``. After a power cut, the installer resumes from this record.
///
/// ```text
/// installing → SHA256.ATTEMPTS[.PROCESS]    a link, because a link can be replaced atomically
/// ```
///
/// PROCESS identifies the installing program, which may outlive the process that started it. It
/// consists of digits, letters and hyphens chosen by the caller.
package struct InstallationRecord: Sendable {
    private let link: FilePath
    private let directory: FilePath
    private let disk: Disk

    /// The record in this directory, which must exist.
    package init(directory: FilePath) {
        self.init(directory: directory, on: Disk())
    }

    init(directory: FilePath, on disk: Disk) {
        self.directory = directory
        self.disk = disk
        link = directory.appending(StoreForm.installing)
    }

    /// How many times an installation of this image was started and not completed, by this or an
    /// earlier process.
    package func attemptCount(of sha256: [UInt8]) -> Int {
        guard let target = (try? disk.holding(directory))?.linkTarget(of: link),
            let attempts = Self.attempts(in: target), attempts.sha256 == sha256
        else { return 0 }
        return attempts.count
    }

    /// The installing program that the record names, whichever image it installs.
    package var process: String? {
        let target = (try? disk.holding(directory))?.linkTarget(of: link)
        return target.flatMap(Self.attempts)?.process
    }

    /// Parses the target of the link; `nil` if it is not a valid record.
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

    /// Long enough for a process ID, a time and part of a UUID.
    private static let processByteCountMax = 64

    /// Durably records the start of another attempt.
    package func begin(_ sha256: [UInt8]) throws(StoreError) {
        let disk = try disk.holding(directory)
        let count = min(attemptCount(of: sha256) + 1, Int(UInt8.max))
        try disk.replaceLink(link, target: FilePath("\(HexText.text(sha256)).\(count)"))
        try disk.synchronizeDirectory(directory)
    }

    /// Records which program is installing. The record need not survive a power cut, because
    /// the program doesn't survive one either.
    package func note(process: String, of sha256: [UInt8]) throws(StoreError) {
        let disk = try disk.holding(directory)
        let count = attemptCount(of: sha256)
        let target = FilePath("\(HexText.text(sha256)).\(count).\(process)")
        precondition(Self.attempts(in: target) != nil, "not the name of a process: \(process)")
        try disk.replaceLink(link, target: target)
    }

    /// Durably records that the installation is complete.
    package func end() throws(StoreError) {
        let disk = try disk.holding(directory)
        try disk.removeFile(link)
        try disk.synchronizeDirectory(directory)
    }
}
