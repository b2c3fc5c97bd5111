import Testing

@testable import BlueZ

@Suite("The values of Bluetooth")
struct BlueZValueTests {
    @Test("a UUID is 4, 8 or 36 characters of any case, and is kept as 36 lower ones")
    func uuids() {
        let whole = "0000180a-0000-1000-8000-00805f9b34fb"
        for text in ["180A", "180a", "0000180A", whole, whole.uppercased()] {
            #expect(BluetoothUUID(text)?.text == whole)
            #expect(BluetoothUUID(text)?.number == 0x180A)
            #expect(BluetoothUUID(text)?.description == "180a")
        }
        #expect(BluetoothUUID(0x180A).text == whole)
        #expect(BluetoothUUID(0x0001).text.hasPrefix("00000001-"))
        let own = "7a3d0001-5c1e-4f0b-9b6a-e2c49d0f2d11"
        #expect(BluetoothUUID(own)?.number == nil)
        #expect(BluetoothUUID(own)?.shortText == own)
        #expect(BluetoothUUID("12345678")?.number == nil)
        #expect(BluetoothUUID(0x1800) < BluetoothUUID(0x1801))
    }

    @Test(
        "what is no UUID is none",
        arguments: [
            "", "1", "180", "18OA", "+180", "180A ", " 180A", "0x180A", "180A-", "1234567",
            "0000180a-0000-1000-8000-00805f9b34f", "0000180a-0000-1000-8000-00805f9b34fbb",
            "0000180a00000-1000-8000-00805f9b34fb", "0000180a-0000-1000-8000_00805f9b34fb",
            "------------------------------------", "é80", "éé", "１８０Ａ", "180\0",
        ]
    )
    func noUUIDs(_ text: String) { #expect(BluetoothUUID(text) == nil) }

    @Test("an address is six bytes in hexadecimal digits with colons")
    func addresses() {
        #expect(BluetoothAddress("00:aa:01:00:00:42")?.text == "00:AA:01:00:00:42")
        let (low, high) = (BluetoothAddress("00:AA:01:00:00:01")!, Fake.address)
        #expect(low < high)
        #expect("\(low)" == "00:AA:01:00:00:01")
    }

    @Test(
        "what is no address is none",
        arguments: [
            "", ":", "00:AA:01:00:00", "00:AA:01:00:00:4", "00:AA:01:00:00:421",
            "00-AA-01-00-00-42", "00:AA:01:00:00:4G", ":::::::::::::::::", "00AA:01:00:00:42:",
            "00:AA:01:00:00:é", "00_AA_01_00_00_42", "00:AA:01:00:00:4\0",
        ]
    )
    func noAddresses(_ text: String) { #expect(BluetoothAddress(text) == nil) }

    @Test("every ATT error has a name and its code", arguments: UInt8.min...UInt8.max)
    func attErrors(_ code: UInt8) {
        let text = ATTError(rawValue: code).description
        let digits = String(code, radix: 16, uppercase: true)
        #expect(text.hasSuffix("(0x\(digits.count == 1 ? "0" : "")\(digits))"))
        #expect(text.contains("application error") == (0x80...0x9F).contains(code))
    }

    @Test("an advertisement of a long UUID and a name fits where the name goes into the answer")
    func sizeThatFits() throws {
        let uuid = Fake.updateService
        let name = String(repeating: "n", count: 29)
        let size = AdvertisementSize(Advertisement(localName: name, services: [uuid]))
        try size.check(sentMax: 31, answeredMax: 31)
        #expect(
            throws: BlueZError.invalid(
                "the advertisement needs 21 bytes, but holds only 20: "
                    + "flags 3, services 18"
            )
        ) {
            try size.check(sentMax: 20, answeredMax: 31)
        }
        #expect(
            throws: BlueZError.invalid(
                "the scan response needs 31 bytes, but holds only 30: "
                    + "name 31"
            )
        ) {
            try size.check(sentMax: 31, answeredMax: 30)
        }
    }

    @Test("UUIDs of one size share a part of an advertisement")
    func sizeOfUUIDs() throws {
        let short = [BluetoothUUID(0x180A), BluetoothUUID(0x180F), BluetoothUUID("12345678")!]
        var advertisement = Advertisement(.broadcast, services: short)
        try AdvertisementSize(advertisement).check(sentMax: 6 + 6, answeredMax: 0)
        advertisement.manufacturerData = [0xFFFF: [1, 2, 3]]
        advertisement.serviceData = [BluetoothUUID(0x180A): [4]]
        advertisement.appearance = 1
        advertisement.additions = [.txPower]
        let sum = 12 + 7 + 5 + 4 + 3
        try AdvertisementSize(advertisement).check(sentMax: sum, answeredMax: 0)
        #expect(throws: BlueZError.self) {
            try AdvertisementSize(advertisement).check(sentMax: sum - 1, answeredMax: 0)
        }
    }

    @Test("an advertisement that contradicts itself is refused before the daemon sees it")
    func contradictions() {
        var broadcast = Advertisement(.broadcast)
        broadcast.isDiscoverable = true
        let wrong = [
            broadcast,
            Advertisement(localName: "a\0b"),
            Advertisement(localName: "a", additions: [.localName]),
            Advertisement(interval: .milliseconds(19)...(.milliseconds(40))),
            Advertisement(interval: .milliseconds(20)...(.seconds(11))),
            Advertisement(lifetime: .milliseconds(999)),
            Advertisement(lifetime: .seconds(65_536)),
        ]
        for advertisement in wrong {
            #expect(throws: BlueZError.self) { try advertisement.check() }
        }
    }
}
