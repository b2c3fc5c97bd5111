import FuzzDriver
import FuzzTargets
import Glibc

/// Plays lists of operations with a receiver.
@main
enum ReceiverFuzzer {
    static func main() { exit(LibFuzzer.run(testOneInput)) }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
    FuzzTarget.receiver.demand(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    return 0
}
