import CDBus

/// Decodes messages of libdbus, which has already checked that they are well-formed.
enum MessageReader {
    static func read(_ message: OpaquePointer) -> BusMessage {
        BusMessage(
            kind: kind(of: message),
            path: text(dbus_message_get_path(message)).map { ObjectPath(unchecked: $0) },
            interface: text(dbus_message_get_interface(message)),
            member: text(dbus_message_get_member(message)),
            errorName: text(dbus_message_get_error_name(message)),
            sender: text(dbus_message_get_sender(message)),
            serial: dbus_message_get_serial(message),
            replySerial: dbus_message_get_reply_serial(message),
            expectsReply: dbus_message_get_no_reply(message) == 0,
            body: body(of: message)
        )
    }

    private static func kind(of message: OpaquePointer) -> BusMessage.Kind {
        switch dbus_message_get_type(message) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: .error
        default: .signal
        }
    }

    private static func body(of message: OpaquePointer) -> [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return values(&iterator)
    }

    private static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
        var values: [BusValue] = []
        while let value = value(&iterator) {
            values.append(value)
            guard dbus_message_iter_next(&iterator) != 0 else { break }
        }
        return values
    }

    /// The value at the iterator's position; `nil` at the end.
    private static func value(_ iterator: inout DBusMessageIter) -> BusValue? {
        let type = dbus_message_iter_get_arg_type(&iterator)
        switch UInt8(truncatingIfNeeded: type) {
        case UInt8(ascii: "y"): return .byte(basic(&iterator, 0))
        case UInt8(ascii: "b"): return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
        case UInt8(ascii: "n"): return .int16(basic(&iterator, 0))
        case UInt8(ascii: "q"): return .uint16(basic(&iterator, 0))
        case UInt8(ascii: "i"): return .int32(basic(&iterator, 0))
        case UInt8(ascii: "u"): return .uint32(basic(&iterator, 0))
        case UInt8(ascii: "x"): return .int64(basic(&iterator, 0))
        case UInt8(ascii: "t"): return .uint64(basic(&iterator, 0))
        case UInt8(ascii: "d"): return .double(basic(&iterator, 0))
        case UInt8(ascii: "s"): return .string(string(&iterator))
        case UInt8(ascii: "o"): return .path(ObjectPath(unchecked: string(&iterator)))
        case UInt8(ascii: "g"): return .signature(string(&iterator))
        // libdbus returns a duplicate of the descriptor, owned by the caller.
        case UInt8(ascii: "h"): return .descriptor(BusDescriptor(owning: basic(&iterator, -1)))
        case UInt8(ascii: "a"): return array(&iterator)
        case UInt8(ascii: "v"):
            var inner = nested(&iterator)
            return value(&inner).map { .variant($0) }
        // This letter is the type code of a structure; signatures use parentheses instead.
        case UInt8(ascii: "r"):
            var inner = nested(&iterator)
            return .structure(values(&inner))
        default: return nil
        }
    }

    private static func array(_ iterator: inout DBusMessageIter) -> BusValue {
        let elementType = dbus_message_iter_get_element_type(&iterator)
        var inner = nested(&iterator)
        switch UInt8(truncatingIfNeeded: elementType) {
        case UInt8(ascii: "y"): return .bytes(bytes(&inner))
        case UInt8(ascii: "e"):
            return .dictionary(of: signature(&inner), entries(&inner))
        default:
            let signature = signature(&inner)
            return .array(of: signature, values(&inner))
        }
    }

    private static func bytes(_ inner: inout DBusMessageIter) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) {
            dbus_message_iter_get_fixed_array(&inner, UnsafeMutableRawPointer($0), &count)
        }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static func entries(_ inner: inout DBusMessageIter) -> [BusValue.Entry] {
        var entries: [BusValue.Entry] = []
        while dbus_message_iter_get_arg_type(&inner) == Int32(UInt8(ascii: "e")) {
            var entry = nested(&inner)
            if let key = value(&entry), dbus_message_iter_next(&entry) != 0,
                let value = value(&entry)
            {
                entries.append(BusValue.Entry(key, value))
            }
            guard dbus_message_iter_next(&inner) != 0 else { break }
        }
        return entries
    }

    private static func nested(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return inner
    }

    private static func signature(_ iterator: inout DBusMessageIter) -> String {
        guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    private static func basic<Number>(
        _ iterator: inout DBusMessageIter,
        _ initial: Number
    ) -> Number {
        var number = initial
        withUnsafeMutablePointer(to: &number) {
            dbus_message_iter_get_basic(&iterator, UnsafeMutableRawPointer($0))
        }
        return number
    }

    private static func string(_ iterator: inout DBusMessageIter) -> String {
        var pointer: UnsafePointer<CChar>?
        withUnsafeMutablePointer(to: &pointer) {
            dbus_message_iter_get_basic(&iterator, UnsafeMutableRawPointer($0))
        }
        return text(pointer) ?? ""
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
