/// The entry to libFuzzer, which `-sanitize=fuzzer` links into a program.
public enum LibFuzzer {
    /// What libFuzzer calls with each input: the bytes, and how many there are.
    public typealias TestOneInput = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    /// Hands the program's arguments to libFuzzer, and returns what is to be the exit status.
    ///
    /// SwiftPM has a main function of its own, so that libFuzzer's can't be used.
    public static func run(_ testOneInput: TestOneInput) -> CInt {
        var argumentCount = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        return runDriver(&argumentCount, &arguments, testOneInput)
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: LibFuzzer.TestOneInput
) -> CInt
