/// The size of an advertisement on the air, in bytes by field. Each field has one byte for its
/// length and one for its type (Bluetooth Core Supplement, Part A).
struct AdvertisementSize {
    /// The number of bytes that every adapter can send.
    static let byteCountMaxOfAll = 31

    private typealias Part = (name: String, byteCount: Int)

    private var sent: [Part] = []
    private var answered: [Part] = []

    init(_ advertisement: Advertisement) {
        // The daemon adds flags to connectable advertisements.
        if advertisement.kind == .peripheral { sent.append(("flags", 3)) }
        add(advertisement.services, "services")
        add(advertisement.wantedServices, "solicited services")
        for (company, data) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
            let digits = String(company, radix: 16)
            sent.append(("data of company 0x\(digits)", 4 + data.count))
        }
        for (uuid, data) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
            sent.append(("data of service \(uuid)", 2 + Self.byteCount(of: uuid) + data.count))
        }
        if advertisement.appearance != nil { sent.append(("appearance", 4)) }
        if advertisement.additions.contains(.txPower) { sent.append(("power", 3)) }
        if let name = advertisement.localName { answered.append(("name", 2 + name.utf8.count)) }
        if advertisement.additions.contains(.appearance) { answered.append(("appearance", 4)) }
    }

    /// Adds a list of UUIDs; UUIDs of the same size share a field.
    private mutating func add(_ uuids: [BluetoothUUID], _ name: String) {
        let sizes = Dictionary(grouping: uuids) { Self.byteCount(of: $0) }
        for (size, uuids) in sizes.sorted(by: { $0.key < $1.key }) {
            sent.append((name, 2 + size * uuids.count))
        }
    }

    private static func byteCount(of uuid: BluetoothUUID) -> Int {
        uuid.shortNumber == nil ? 16 : uuid.number == nil ? 4 : 2
    }

    /// - Throws: ``BlueZError/invalid(_:)`` with the sizes of the fields if they do not fit.
    func check(sentMax: Int, answeredMax: Int) throws(BlueZError) {
        try Self.check(sent, "advertisement", sentMax)
        try Self.check(answered, "scan response", answeredMax)
    }

    private static func check(_ parts: [Part], _ what: String, _ max: Int) throws(BlueZError) {
        let sum = parts.reduce(0) { $0 + $1.byteCount }
        guard sum > max else { return }
        let list = parts.map { "\($0.name) \($0.byteCount)" }.joined(separator: ", ")
        throw .invalid("the \(what) needs \(sum) bytes, but holds only \(max): \(list)")
    }
}

extension BluetoothUUID {
    /// The assigned number of 16 or 32 bits; `nil` for any other UUID.
    fileprivate var shortNumber: UInt32? {
        guard let number = UInt32(text.prefix(8), radix: 16) else { return nil }
        return BluetoothUUID(String(text.prefix(8))) == self ? number : nil
    }
}
