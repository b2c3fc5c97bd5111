import BLEOTA
import BlueZ
import DBus
import Testing

@testable import BLEOTABlueZ

/// The characteristic that offers L2CAP channels.
@Suite("an offer of L2CAP channels", .timeLimit(.minutes(1)))
struct L2CAPOfferTests {
    private static let path = Fake.update.appending("char001d")

    //= COC-1
    @Test("is four bytes, and bytes of later versions are ignored")
    func value() throws {
        for (security, byte) in [
            (LinkSecurity.open, UInt8(0)), (.encrypted, 1), (.authenticated, 2),
        ] {
            let offer = L2CAPOffer(psm: 0x00F1, security: security)
            #expect(offer.value == [1, 0xF1, 0, byte])
            #expect(L2CAPOffer(offer.value) == offer)
            #expect(L2CAPOffer(offer.value + [7, 7]) == offer)
        }
    }

    //= COC-1
    @Test(
        "is ignored if it is short, of another version, or out of range",
        arguments: [
            [], [1], [1, 0x80, 0], [2, 0x80, 0, 0], [0, 0x80, 0, 0], [1, 0x7F, 0, 0], [1, 0, 0, 0],
            [1, 0, 1, 0], [1, 0x80, 0x80, 0], [1, 0x80, 0, 3], [1, 0x80, 0, 255],
        ] as [[UInt8]]
    )
    func ignored(_ value: [UInt8]) {
        #expect(L2CAPOffer(value) == nil)
    }

    //= COC-2
    @Test(
        "that leads nowhere leaves the central with GATT",
        arguments: [[1, 0x80, 0, 0], [9, 9, 9, 9], [1, 0x80, 0, 1]] as [[UInt8]]
    )
    func fallback(_ value: [UInt8]) async throws {
        let bench = try await TransportBench { daemon in
            try await daemon.add(
                Self.path,
                [
                    Fake.characteristic: [
                        "UUID": .string(GATTIdentifiers.l2cap), "Service": .path(Fake.update),
                        "Flags": .strings(["read"]), "Value": .bytes(value),
                    ]
                ]
            )
        }
        #expect(bench.daemon.calls(of: "ReadValue").map(\.path).contains(Self.path))
        #expect(!bench.link.usesChannel)
        try await bench.link.send([2], on: .data, .withoutResponse)
        #expect(bench.socket.take() == [[2]])
    }
}
