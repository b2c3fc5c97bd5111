/// A response from the control point of Secure DFU. Source: nRF5 SDK, "DFU transport: BLE".
struct SecureResponse: Hashable {
    private static let opCode: UInt8 = 0x60

    /// The op code of the request.
    let request: UInt8
    let result: SecureResult
    let content: [UInt8]

    /// - Returns: `nil` for any other value.
    init?(_ value: [UInt8]) {
        guard value.count >= 3, value[0] == Self.opCode else { return nil }
        request = value[1]
        content = Array(value[3...])
        result = SecureResult(code: value[2], extendedCode: content.first)
    }

    /// The 32 bits at this index of the content; `nil` if the content is too short.
    private func number(at index: Int) -> UInt32? {
        guard content.count >= index + 4 else { return nil }
        return content[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The state of an object, as the device reports it.
    struct ObjectState: Hashable {
        let offset: Int
        let checksum: UInt32
    }

    /// The content of the answer to a request for the checksum, and of a receipt.
    var checksum: ObjectState? {
        guard let offset = number(at: 0), let checksum = number(at: 4) else { return nil }
        return ObjectState(offset: Int(offset), checksum: checksum)
    }

    /// The content of the answer to Select.
    var selection: (objectByteCountMax: Int, state: ObjectState)? {
        guard let byteCountMax = number(at: 0), let offset = number(at: 4),
            let checksum = number(at: 8)
        else { return nil }
        return (Int(byteCountMax), ObjectState(offset: Int(offset), checksum: checksum))
    }
}
