/// Memory for a machine, with strips of known bytes on both sides that show whether it wrote
/// outside.
///
/// In a fuzzer there are no strips: AddressSanitizer watches the edges of every allocation, for
/// reading as well as for writing.
final class GuardedMemory<Element: BitwiseCopyable> {
    #if FUZZER
    private static var stripByteCount: Int { 0 }
    #else
    private static var stripByteCount: Int { 64 }
    #endif
    private static var stripByte: UInt8 { 0xA5 }

    let elements: UnsafeMutableBufferPointer<Element>
    private let whole: UnsafeMutableRawBufferPointer

    init(count: Int, filledWith element: Element) {
        let byteCount = count * MemoryLayout<Element>.stride
        whole = .allocate(byteCount: byteCount + 2 * Self.stripByteCount, alignment: 16)
        elements = UnsafeMutableRawBufferPointer(
            rebasing: whole[Self.stripByteCount..<Self.stripByteCount + byteCount]
        ).bindMemory(to: Element.self)
        elements.initialize(repeating: element)
        for offset in 0..<Self.stripByteCount {
            whole[offset] = Self.stripByte
            whole[whole.count - 1 - offset] = Self.stripByte
        }
    }

    deinit { whole.deallocate() }

    /// Whether nothing was written on either side.
    var isIntact: Bool {
        for offset in 0..<Self.stripByteCount
        where whole[offset] != Self.stripByte || whole[whole.count - 1 - offset] != Self.stripByte {
            return false
        }
        return true
    }
}
