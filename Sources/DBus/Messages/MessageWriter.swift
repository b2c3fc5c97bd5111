import CDBus

/// Creates messages of libdbus. The caller must release each message.
///
/// libdbus fails here only if it is out of memory or if a name is invalid, which is a programming
/// error. The only error that can be thrown concerns file descriptors.
enum MessageWriter {
    static func call(
        _ call: MethodCall,
        expectsReply: Bool
    ) throws(BusError) -> OpaquePointer {
        let message = made(
            dbus_message_new_method_call(
                call.destination,
                call.path.text,
                call.interface,
                call.member
            )
        )
        if !expectsReply { dbus_message_set_no_reply(message, 1) }
        try append(call.body, to: message)
        return message
    }

    static func signal(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue]
    ) throws(BusError) -> OpaquePointer {
        let message = made(dbus_message_new_signal(path.text, interface, member))
        try append(body, to: message)
        return message
    }

    /// Returns the reply to a call, or an error reply if the reply cannot be encoded.
    static func answer(_ answer: IncomingCall.Answer, to call: BusMessage) -> OpaquePointer {
        switch answer {
        case .error(let name, let text): return error(to: call, name: name, text: text)
        case .body(let body):
            do {
                return try reply(to: call, body)
            } catch {
                let name = "org.freedesktop.DBus.Error.Failed"
                return Self.error(to: call, name: name, text: "\(error)")
            }
        }
    }

    private static func reply(
        to call: BusMessage,
        _ body: [BusValue]
    ) throws(BusError) -> OpaquePointer {
        let message = made(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
        address(message, to: call)
        try append(body, to: message)
        return message
    }

    private static func error(to call: BusMessage, name: String, text: String) -> OpaquePointer {
        let message = made(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
        address(message, to: call)
        precondition(dbus_message_set_error_name(message, name) != 0)
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        string("s", text, &iterator)
        return message
    }

    private static func address(_ message: OpaquePointer, to call: BusMessage) {
        dbus_message_set_no_reply(message, 1)
        precondition(dbus_message_set_reply_serial(message, call.serial) != 0)
        precondition(dbus_message_set_destination(message, call.sender) != 0)
    }

    private static func made(_ message: OpaquePointer?) -> OpaquePointer {
        guard let message else {
            preconditionFailure(
                "no memory for a message, or an invalid name"
            )
        }
        return message
    }

    // MARK: - Values

    /// Appends arguments, and releases the message on failure.
    private static func append(_ body: [BusValue], to message: OpaquePointer) throws(BusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        do {
            for value in body { try append(value, &iterator) }
        } catch {
            dbus_message_unref(message)
            throw error
        }
    }

    private static func append(
        _ value: BusValue,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        switch value {
        case .byte(let number): basic("y", number, &iterator)
        case .boolean(let flag): basic("b", dbus_bool_t(flag ? 1 : 0), &iterator)
        case .int16(let number): basic("n", number, &iterator)
        case .uint16(let number): basic("q", number, &iterator)
        case .int32(let number): basic("i", number, &iterator)
        case .uint32(let number): basic("u", number, &iterator)
        case .int64(let number): basic("x", number, &iterator)
        case .uint64(let number): basic("t", number, &iterator)
        case .double(let number): basic("d", number, &iterator)
        case .string(let text): string("s", text, &iterator)
        case .path(let path): string("o", path.text, &iterator)
        case .signature(let text): string("g", text, &iterator)
        case .descriptor(let descriptor): try append(descriptor, &iterator)
        case .bytes(let bytes): try nest("a", "y", &iterator) { append(bytes, &$0) }
        case .array(let signature, let elements):
            try nest("a", signature, &iterator) { inner throws(BusError) in
                for element in elements { try append(element, &inner) }
            }
        case .dictionary(let signature, let entries):
            try nest("a", signature, &iterator) { inner throws(BusError) in
                for entry in entries {
                    try nest("e", nil, &inner) { inner throws(BusError) in
                        try append(entry.key, &inner)
                        try append(entry.value, &inner)
                    }
                }
            }
        case .structure(let fields):
            precondition(!fields.isEmpty, "a D-Bus structure must have fields")
            try nest("r", nil, &iterator) { inner throws(BusError) in
                for field in fields { try append(field, &inner) }
            }
        case .variant(let value):
            try nest("v", value.typeSignature, &iterator) { inner throws(BusError) in
                try append(value, &inner)
            }
        }
    }

    /// Appends a descriptor, which libdbus duplicates. The duplication fails if the descriptor is
    /// already closed, or if the process has no file descriptors left.
    private static func append(
        _ descriptor: BusDescriptor,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        let isDone = descriptor.withNumber { number in
            withUnsafePointer(to: number) {
                dbus_message_iter_append_basic(&iterator, type("h"), UnsafeRawPointer($0))
            }
        }
        guard let isDone, isDone != 0 else {
            throw .answered(
                name: "org.freedesktop.DBus.Error.Failed",
                message: isDone == nil
                    ? "the descriptor was closed before it was sent"
                    : "this process has no file descriptors left"
            )
        }
    }

    private static func append(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) {
        bytes.withUnsafeBufferPointer { bytes in
            // An empty array may have no address, but libdbus requires one.
            var nothing: UInt8 = 0
            withUnsafePointer(to: &nothing) { nothing in
                var start: UnsafePointer<UInt8>? = bytes.baseAddress ?? nothing
                let isDone = withUnsafePointer(to: &start) {
                    dbus_message_iter_append_fixed_array(
                        &iterator,
                        type("y"),
                        UnsafeRawPointer($0),
                        Int32(bytes.count)
                    )
                }
                precondition(isDone != 0)
            }
        }
    }

    private static func basic<Number>(
        _ letter: Unicode.Scalar,
        _ number: Number,
        _ iterator: inout DBusMessageIter
    ) {
        let isDone = withUnsafePointer(to: number) {
            dbus_message_iter_append_basic(&iterator, type(letter), UnsafeRawPointer($0))
        }
        precondition(isDone != 0)
    }

    private static func string(
        _ letter: Unicode.Scalar,
        _ text: String,
        _ iterator: inout DBusMessageIter
    ) {
        precondition(!text.utf8.contains(0), "a D-Bus string can't contain NUL")
        text.withCString { text in
            basic(letter, Optional(text), &iterator)
        }
    }

    private static func nest(
        _ letter: Unicode.Scalar,
        _ signature: String?,
        _ iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) throws(BusError) -> Void
    ) throws(BusError) {
        var inner = DBusMessageIter()
        precondition(
            dbus_message_iter_open_container(&iterator, type(letter), signature, &inner) != 0
        )
        do {
            try body(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        precondition(dbus_message_iter_close_container(&iterator, &inner) != 0)
    }

    private static func type(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
