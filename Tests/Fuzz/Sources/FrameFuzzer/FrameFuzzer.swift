import FuzzDriver
import FuzzTargets
import Glibc

/// Gives arbitrary bytes to every decoder.
@main
enum FrameFuzzer {
    static func main() { exit(LibFuzzer.run(testOneInput)) }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
    FuzzTarget.frames.demand(UnsafeRawBufferPointer(start: bytes, count: byteCount))
    return 0
}
