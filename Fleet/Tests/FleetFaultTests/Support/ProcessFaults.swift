import FleetTestSupport
import Foundation
import Glibc

/// What a test does to one process: its clock, and its disk.
///
/// The process maps a file of two numbers (`Tests/CFleetFaults`), so that a change counts at once.
final class ProcessFaults: @unchecked Sendable {
    private static let byteCount = 2 * MemoryLayout<Int64>.size

    /// What the process needs in its environment.
    let variables: [String]
    private let numbers: UnsafeMutablePointer<Int64>

    init(in folder: TestFolder, named name: String) throws {
        let path = folder.path("\(name).faults")
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, ftruncate(file, Self.byteCount) == 0,
            let map = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            map != MAP_FAILED
        else { throw ChildProcess.Failure(description: "\(path) can't be mapped") }
        numbers = map.bindMemory(to: Int64.self, capacity: 2)
        variables = ["LD_PRELOAD=\(Tool.faults)", "FLEET_FAULTS=\(path)"]
    }

    deinit { munmap(numbers, Self.byteCount) }

    /// Sets the clock of the wall ahead, or back.
    func setClock(ahead seconds: Int64) { numbers[0] = seconds * 1_000_000_000 }

    /// Makes each sync of a file take so much longer.
    func slowDisk(by milliseconds: Int64) { numbers[1] = milliseconds * 1_000 }
}
