/// The name of something of a fleet: 1 to 64 letters, digits, `_` and `-`, so that it can be a part
/// of a key and of a subject.
///
/// `Kind` keeps the name of a device from being taken for that of a gateway.
package struct Identifier<Kind>: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Five names and the words between them are a subject of at most 255 bytes if most are short;
    /// an address of a device in hexadecimal digits is 12 bytes, a UUID 36.
    package static var byteCountMax: Int { 64 }

    /// The name as text.
    package let text: String

    /// Parses a name; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard (1...Self.byteCountMax).contains(text.utf8.count),
            text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Orders names by their text.
    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// The name as text.
    package var description: String { text }
}

package typealias DeviceID = Identifier<DeviceRecord>
package typealias CampaignID = Identifier<CampaignPlan>
package typealias GatewayID = Identifier<Lease>
package typealias GroupName = Identifier<Sighting>
package typealias ControllerID = Identifier<Seat>
