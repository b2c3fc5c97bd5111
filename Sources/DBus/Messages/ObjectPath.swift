/// The path of an object on a bus: `/` or elements of letters, digits and `_`, each after a `/`.
public struct ObjectPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The root of a connection's objects.
    public static let root = ObjectPath(unchecked: "/")

    /// The path as text.
    public let text: String

    /// The path that `text` is; `nil` if it is none.
    public init?(_ text: String) {
        guard text == "/" || Self.isPath(text.utf8) else { return nil }
        self.text = text
    }

    /// A path that libdbus has checked.
    init(unchecked text: String) { self.text = text }

    private static func isPath(_ text: String.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: "/"), text.last != UInt8(ascii: "/") else { return false }
        var isAfterSlash = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "/"):
                if isAfterSlash { return false }
                isAfterSlash = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                isAfterSlash = false
            default: return false
            }
        }
        return true
    }

    /// The path of a child of this object.
    ///
    /// - Parameter element: letters, digits and `_`, at least one.
    public func appending(_ element: String) -> ObjectPath {
        guard let path = ObjectPath((text == "/" ? "" : text) + "/" + element) else {
            preconditionFailure("\(element) is no element of an object path")
        }
        return path
    }

    /// Whether this is an object below `ancestor`; hci10 is not below hci1.
    public func isBelow(_ ancestor: ObjectPath) -> Bool {
        ancestor.text == "/" ? text != "/" : text.hasPrefix(ancestor.text + "/")
    }

    /// The object this one is right below; `nil` for the root.
    public var parent: ObjectPath? {
        guard text != "/", let slash = text.lastIndex(of: "/") else { return nil }
        return slash == text.startIndex ? .root : ObjectPath(unchecked: String(text[..<slash]))
    }

    /// The last element; empty for the root.
    public var lastElement: String {
        guard let slash = text.lastIndex(of: "/") else { return text }
        return String(text[text.index(after: slash)...])
    }

    /// In the order of their texts.
    public static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }

    /// The path as text.
    public var description: String { text }
}
