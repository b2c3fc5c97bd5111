import BLEOTA
import FleetGateway
import FleetModel
import FleetSimulation
import FleetTestSupport
import Testing

@Suite("A gateway and receipts", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ReceiptTests {
    @Test("Brings what a device signs about the image that it has restarted into")
    func signed() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let key = SigningKey.generateP256()
        var simulated = site.device()
        simulated.key = key
        let device = Background { [simulated] () throws(SimulationError) in
            try await simulated.run()
        }
        let gateway = try site.gateway(Sample.east, Log())
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        try await site.awaitSighting()
        // The second time, the device has the image already.
        for turn in 1...2 as ClosedRange<UInt32> {
            let nonce = Nonce([UInt8](repeating: UInt8(turn), count: Nonce.byteCount))!
            try await site.order(order(turn, image.digest, nonce))
            let receipt = try await receipt(turn, site)
            let asked = try #require(ReceiptNonce(bytes: nonce.bytes))
            let isValid = receipt.isValid(for: key.verifyingKey, nonce: asked)
            #expect(isValid && receipt.isConfirmed(image.sha256))
            #expect(receipt.version == Sample.new.description)
        }
        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
    }

    @Test("Reports a device without a key as updated, without a receipt")
    func unsigned() async throws {
        let site = try await Site()
        let image = try await site.addImage()
        let simulated = site.device()
        let device = Background { () throws(SimulationError) in try await simulated.run() }
        let gateway = try site.gateway(Sample.east, Log())
        let running = Background { () throws(GatewayError) in try await gateway.run() }
        try await site.awaitSighting()
        let nonce = Nonce([UInt8](repeating: 1, count: Nonce.byteCount))!
        try await site.order(order(1, image.digest, nonce))
        try await site.awaitReport(Sample.report(1, .succeeded))
        #expect(await running.end() == nil)
        #expect(await device.end() == nil)
    }

    private func order(_ turn: UInt32, _ image: Digest, _ nonce: Nonce) -> Order {
        Order(
            campaign: Sample.campaign,
            turn: Turn(turn),
            image: image,
            version: Sample.new,
            nonce: nonce
        )
    }

    private func receipt(_ turn: UInt32, _ site: Site) async throws -> SignedReceipt {
        var found: SignedReceipt?
        try await eventually("a receipt in turn \(turn)") {
            guard let report = try await site.report(), report.turn == Turn(turn),
                case .proved(let receipt) = report.news
            else { return false }
            found = SignedReceipt(bytes: receipt.bytes)
            return true
        }
        return try #require(found)
    }
}
