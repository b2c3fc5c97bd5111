extension Lease: Stored {
    /// The head and the version 2, the name 66, the moment 9.
    package static let byteCountMax = 77
    package static let itemCount = 2

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let gateway = try reader.optional { reader throws(CodecError) in
            try reader.name(GatewayID.self)
        }
        let until = try reader.optional { reader throws(CodecError) in try reader.moment() }
        try reader.end()
        switch (gateway, until) {
        case (let gateway?, let until?): self = .held(by: gateway, until: until)
        case (nil, nil): self = .free
        default: throw .unexpected
        }
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        switch self {
        case .free:
            writer.null()
            writer.null()
        case .held(let gateway, let until):
            writer.write(gateway)
            writer.write(until)
        }
        return writer.bytes
    }
}
