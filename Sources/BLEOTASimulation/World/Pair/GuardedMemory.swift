/// A machine's memory between two guards of known bytes, which reveal writes out of bounds.
final class GuardedMemory<Element: BitwiseCopyable> {
    private static var guardByteCount: Int { 64 }
    private static var guardByte: UInt8 { 0xA5 }

    let elements: UnsafeMutableBufferPointer<Element>
    private let whole: UnsafeMutableRawBufferPointer

    init(count: Int, filledWith element: Element) {
        let byteCount = count * MemoryLayout<Element>.stride
        whole = .allocate(byteCount: byteCount + 2 * Self.guardByteCount, alignment: 16)
        _ = whole.initializeMemory(as: UInt8.self, repeating: Self.guardByte)
        elements = UnsafeMutableRawBufferPointer(
            rebasing: whole[Self.guardByteCount..<Self.guardByteCount + byteCount]
        ).bindMemory(to: Element.self)
        elements.initialize(repeating: element)
    }

    deinit { whole.deallocate() }

    /// Whether both guards are unchanged.
    var isIntact: Bool {
        let end = whole.count - Self.guardByteCount
        for offset in 0..<Self.guardByteCount
        where whole[offset] != Self.guardByte || whole[end + offset] != Self.guardByte {
            return false
        }
        return true
    }
}
