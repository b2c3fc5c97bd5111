import BLEOTATestSupport
import Crypto
import Foundation
import SystemPackage
import Testing

@testable import BLEOTA

/// A store with an intake, in a directory of its own.
struct UploadPlace {
    let directory = ToolDirectory()
    let store: DirectoryStore
    let intake: UploadIntake

    init(
        _ directory: ToolDirectory? = nil,
        isInstalled: Bool = false,
        _ configure: (inout AcceptancePolicy) -> Void = { _ in }
    ) throws {
        let path = (directory ?? self.directory).path("store")
        var policy = AcceptancePolicy()
        let record = RunningRecord(directory: .init(path))
        policy.running = { record.read() }
        configure(&policy)
        store = try DirectoryStore(directory: path)
        let service = Service(into: store, policy: policy) { _, _ in }
        intake = UploadIntake(
            into: store,
            directory: .init(path),
            policy: policy,
            isInstalled: isInstalled,
            sharing: service
        )
    }

    static func id(_ bytes: [UInt8]) -> UploadID {
        UploadID(sha256: Array(Crypto.SHA256.hash(data: bytes)), byteCount: bytes.count)
    }

    /// Uploads a file in parts.
    func upload(_ bytes: [UInt8], from start: Int? = nil) async throws -> UploadIntake.Outcome? {
        let id = Self.id(bytes)
        var offset = try await intake.begin(id, beginning: Array(bytes.prefix(32)))
        if let start { #expect(offset == start) }
        while offset < bytes.count {
            let part = Array(bytes[offset..<min(offset + 1_000, bytes.count)])
            offset = try await intake.append(part, to: id, at: offset) ?? 0
        }
        return try await intake.finish(id)
    }

    /// The code of the error that an upload ends with.
    func refusal(of bytes: [UInt8]) async -> String {
        do {
            _ = try await upload(bytes)
            return "accepted"
        } catch let error as TransferError {
            if case .refusedByDevice(let refusal) = error.problem { return refusal.code }
            if case .source(let error) = error.problem { return error.code.description }
            return error.refusal?.description ?? error.code.description
        } catch {
            return "\(error)"
        }
    }
}
