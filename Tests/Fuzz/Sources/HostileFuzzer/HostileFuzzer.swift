import FuzzDriver
import FuzzInterpretation
import Glibc

/// Plays somebody without a key with a device that trusts one.
@main
enum HostileFuzzer {
    static func main() { exit(LibFuzzer.run(testOneInput)) }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
    FuzzTarget.hostile.demand(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    return 0
}
