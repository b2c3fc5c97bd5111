import BLEOTA
import Glibc
import SystemPackage

/// The error of an attempt, or `nil` if it succeeded.
func imageError<Value>(_ attempt: () throws(FirmwareError) -> Value) -> FirmwareError? {
    do {
        _ = try attempt()
        return nil
    } catch {
        return error
    }
}

extension FirmwareFile {
    /// Everything that would be sent.
    func allBytes() throws(FirmwareError) -> [UInt8] { try read(at: 0, byteCount: byteCount) }
}

/// A directory for one test, removed with all that is in it.
final class ImageScratch {
    let directory: FilePath

    init() {
        var template = Array("/tmp/bleota-images-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no scratch directory: \(errno)") }
        directory = FilePath(platformString: template)
    }

    deinit {
        if let entries = opendir(directory.string) {
            while let entry = readdir(entries) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    Array(bytes.bindMemory(to: CChar.self).prefix { $0 != 0 }) + [0]
                }
                _ = unlinkat(dirfd(entries), name, 0)
            }
            closedir(entries)
        }
        rmdir(directory.string)
    }

    func path(_ name: String) -> FilePath { directory.appending(name) }

    /// Writes a file whose modification time is long ago, so that any later write changes it.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) -> FilePath {
        let path = path(name)
        overwrite(path, with: bytes)
        var times = [
            timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0),
        ]
        guard utimes(path.string, &times) == 0 else { fatalError("utimes: \(errno)") }
        return path
    }

    /// Writes into the file in place, as a build tool does that truncates and writes.
    func overwrite(_ path: FilePath, with bytes: [UInt8]) {
        do {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .truncate],
                permissions: [.ownerReadWrite]
            )
            try file.closeAfter { _ = try file.writeAll(bytes) }
        } catch {
            fatalError("\(path): \(error)")
        }
    }

    /// A file of this size that takes no room on the disk.
    func writeSparse(_ beginning: [UInt8], byteCount: Int, to name: String) -> FilePath {
        let path = path(name)
        overwrite(path, with: beginning)
        guard truncate(path.string, byteCount) == 0 else { fatalError("truncate: \(errno)") }
        return path
    }
}

/// Random numbers that a printed seed gives again: SplitMix64.
struct ImageRandom: RandomNumberGenerator {
    private var state: UInt64

    /// `BLEOTA_TEST_SEED` in the environment, `0x…` or decimal, replays a run.
    init(for test: String = #function) {
        let text = getenv("BLEOTA_TEST_SEED").map { String(cString: $0) } ?? ""
        let replayed = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        state = replayed ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): BLEOTA_TEST_SEED=0x\(String(state, radix: 16))")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func bytes(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
