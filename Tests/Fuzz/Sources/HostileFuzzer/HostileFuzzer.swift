import Dispatch
import Foundation
import FuzzDriver
import FuzzTargets

/// Plays somebody without a key with a device that trusts one.
///
///     HostileFuzzer [libFuzzer's arguments]
///     HostileFuzzer keep CORPUS FOUND        adds to CORPUS what of FOUND shows something new
@main
enum HostileFuzzer {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "keep", arguments.count == 3 else {
            exit(LibFuzzer.run(testOneInput))
        }
        let folders = arguments.dropFirst().map { URL(filePath: $0) }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let keptCount = try await CorpusKeeper.keep(from: folders[1], in: folders[0])
                print("\(keptCount) of the inputs found are kept")
            } catch {
                print("HostileFuzzer: \(error)")
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
    FuzzTarget.hostile.demand(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    return 0
}
