/// The path of an object on a bus: `/`, or one or more elements, each with a leading `/`. An
/// element consists of letters, digits and `_`.
public struct ObjectPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The root of a connection's objects.
    public static let root = ObjectPath(unchecked: "/")

    /// The path as text.
    public let text: String

    /// Parses a path; `nil` if `text` is not a valid path.
    public init?(_ text: String) {
        guard text == "/" || Self.isPath(text.utf8) else { return nil }
        self.text = text
    }

    /// Creates a path that libdbus has already checked.
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

    /// Returns the path of a child of this object.
    ///
    /// - Parameter element: one or more letters, digits and `_`.
    public func appending(_ element: String) -> ObjectPath {
        guard let path = ObjectPath((text == "/" ? "" : text) + "/" + element) else {
            preconditionFailure("\(element) is not a valid element of an object path")
        }
        return path
    }

    /// Whether this is an object below `ancestor`; hci10 is not below hci1.
    public func isBelow(_ ancestor: ObjectPath) -> Bool {
        ancestor.text == "/" ? text != "/" : text.hasPrefix(ancestor.text + "/")
    }

    /// The path of the parent object; `nil` for the root.
    public var parent: ObjectPath? {
        guard text != "/", let slash = text.lastIndex(of: "/") else { return nil }
        return slash == text.startIndex ? .root : ObjectPath(unchecked: String(text[..<slash]))
    }

    /// The last element; empty for the root.
    public var lastElement: String {
        guard let slash = text.lastIndex(of: "/") else { return text }
        return String(text[text.index(after: slash)...])
    }

    /// Orders paths by their text.
    public static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }

    /// The path as text.
    public var description: String { text }
}
