// The values that records consist of.

extension CBORWriter {
    mutating func write<Kind>(_ name: Identifier<Kind>) { write(name.text) }
    mutating func write(_ name: HardwareName) { write(name.text) }
    mutating func write(_ moment: Moment) { write(moment.milliseconds) }
    mutating func write(_ span: Span) { write(span.milliseconds) }
    mutating func write(_ share: Share) { write(UInt64(share.basisPoints)) }

    mutating func write(_ version: FirmwareVersion) {
        array(3)
        for number in [version.major, version.minor, version.patch] { write(UInt64(number)) }
    }

    mutating func write<Value>(
        _ value: Value?,
        _ body: (inout CBORWriter, Value) -> Void
    ) {
        if let value { body(&self, value) } else { null() }
    }
}

extension CBORReader {
    mutating func name<Kind>(_ kind: Identifier<Kind>.Type) throws(CodecError) -> Identifier<Kind> {
        guard let name = Identifier<Kind>(try text()) else { throw .outOfRange }
        return name
    }

    mutating func hardware() throws(CodecError) -> HardwareName {
        guard let name = HardwareName(try text()) else { throw .outOfRange }
        return name
    }

    mutating func moment() throws(CodecError) -> Moment {
        guard let moment = Moment(milliseconds: try number()) else { throw .outOfRange }
        return moment
    }

    mutating func span() throws(CodecError) -> Span {
        Span(milliseconds: try number(UInt32.self))
    }

    mutating func share() throws(CodecError) -> Share {
        guard let share = Share(basisPoints: try number(UInt16.self)) else { throw .outOfRange }
        return share
    }

    mutating func deviceCount() throws(CodecError) -> DeviceCount {
        guard let count = DeviceCount(Int(try number(UInt32.self))) else { throw .outOfRange }
        return count
    }

    mutating func version() throws(CodecError) -> FirmwareVersion {
        try array(3)
        let major = try number(UInt16.self)
        let minor = try number(UInt16.self)
        return FirmwareVersion(major, minor, try number(UInt16.self))
    }

    mutating func optional<Value>(
        _ body: (inout CBORReader) throws(CodecError) -> Value
    ) throws(CodecError) -> Value? {
        isNull() ? nil : try body(&self)
    }
}
