import BLEOTAWire
import SystemPackage

@testable import BLEOTA

/// The three stores behind one face, so that one suite holds all of them.
enum StoreKind: String, CaseIterable, Sendable {
    case memory, directory, file
}

/// A store that can be closed and opened again, as by another process.
final class StoreUnderTest {
    let kind: StoreKind
    let place: FilePath
    private(set) var store: any ImageStore

    /// - Parameter place: an existing directory.
    init(
        _ kind: StoreKind,
        in place: FilePath,
        imageByteCountLimit: Int = 1 << 20,
        hook: StepHook? = nil
    ) throws(StoreError) {
        self.kind = kind
        self.place = place
        store = try Self.make(kind, place, imageByteCountLimit, hook)
    }

    /// Ends the store, as its process would, and opens what it left behind. A store in memory has
    /// nowhere else to be and goes on.
    func reopen() async throws {
        guard kind != .memory else { return await store.release() }
        await close()
        store = try Self.make(kind, place, 1 << 20, nil)
    }

    /// Ends the store and waits until it is gone: its last task may hold it a moment longer than
    /// we do.
    func close() async {
        weak let old = store as AnyObject
        store = MemoryStore()
        while old != nil { await Task.yield() }
    }

    private static func make(
        _ kind: StoreKind,
        _ place: FilePath,
        _ limit: Int,
        _ hook: StepHook?
    ) throws(StoreError) -> any ImageStore {
        let disk = Disk(willMake: hook)
        return switch kind {
        case .memory: MemoryStore(imageByteCountLimit: limit)
        case .directory:
            try DirectoryStore(
                directory: place / "store",
                imageByteCountLimit: limit,
                on: disk
            )
        case .file:
            try FileStore(output: place / "output", imageByteCountLimit: limit, on: disk)
        }
    }

    /// The file that is current, if the store has files.
    var currentPath: FilePath {
        kind == .directory ? place / "store/current/image" : place / "output"
    }

    /// The bytes of the image that is current; `nil` if there is none.
    func currentBytes() async -> [UInt8]? {
        guard let memory = store as? MemoryStore else { return readFile(currentPath) }
        return await memory.current == nil ? nil : memory.currentBytes
    }
}

extension FilePath {
    /// The path of something in this directory.
    static func / (directory: FilePath, path: String) -> FilePath {
        directory.pushing(FilePath(path))
    }
}
