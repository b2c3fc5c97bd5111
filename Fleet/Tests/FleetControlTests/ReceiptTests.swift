import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

/// What gateways report with receipts, and without.
@Suite("Receipts", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ReceiptTests {
    @Test("A campaign that requires receipts counts what devices have signed for its orders")
    func required() async throws {
        let site = try await Site()
        let devices = Sample.devices(12)
        let signers = Dictionary(uniqueKeysWithValues: devices.map { ($0, SignedDevice()) })
        let east = site.gateway(Sample.east) { device, order in
            order.nonce.flatMap { nonce in signers[device].map { .proved($0.receipt(nonce)) } }
        }
        // The first half is enrolled before anybody has heard it.
        for device in devices[..<6] { try await site.enrol(signers[device]!.key, of: device) }
        let controller = try await site.controller("one")
        try await east.hear(devices)
        for device in devices[6...] { try await site.enrol(signers[device]!.key, of: device) }
        try await site.awaitKeys(12)
        try await site.start(Sample.plan(receipts: .required), devices: 12)
        try await site.awaitPhase(.finished)
        let records = try await site.records()
        #expect(records.allSatisfy { $0.job?.outcome == .succeeded && $0.job?.isSigned == true })
        #expect(records.allSatisfy { $0.nonce == nil && $0.version == Sample.new })
        #expect(Set(east.orders.compactMap(\.order.nonce)).count == 12)
        #expect(try await site.auditCount() == 0)
        #expect(await controller.end() == nil)
    }

    /// What a gateway may make up.
    enum Lie: CaseIterable {
        case otherKey, otherNonce, otherImage, onTrial, otherLabel, changed, noBytesOfOurs

        func receipt(_ nonce: Nonce, _ device: SignedDevice) -> DeviceReceipt {
            switch self {
            case .otherKey: return SignedDevice().receipt(nonce)
            case .otherNonce:
                let other = Nonce([nonce.bytes[0] ^ 1] + nonce.bytes.dropFirst())!
                return device.receipt(other)
            case .otherImage: return device.receipt(nonce, of: Sample.digest)
            case .onTrial: return device.receipt(nonce, state: 2)
            case .otherLabel: return device.receipt(nonce, label: "bleota manifest1")
            case .changed:
                var bytes = device.receipt(nonce).bytes
                bytes[4] ^= 1
                return DeviceReceipt(bytes)!
            case .noBytesOfOurs: return DeviceReceipt([1, 2, 3])!
            }
        }
    }

    @Test(
        "A forged receipt is not counted, in any campaign, and written down",
        arguments: Lie.allCases
    )
    func forged(lie: Lie) async throws {
        for rule in [ReceiptRule.required, .optional] {
            let site = try await Site()
            let device = Sample.devices(1)[0]
            let signer = SignedDevice()
            try await site.enrol(signer.key, of: device)
            let west = site.gateway(Sample.west) { _, order in
                order.nonce.map { .proved(lie.receipt($0, signer)) }
            }
            let controller = try await site.controller("one")
            try await west.hear([device])
            try await site.awaitKeys(1)
            try await site.start(Sample.plan(failuresAllowed: 10_000, receipts: rule), devices: 1)
            try await site.awaitPhase(.finished)
            let record = try await site.record(device)
            #expect(record.job?.outcome == .failed && record.version == Sample.old)
            // It is written beside the record.
            try await eventually("it is written down") { try await site.auditCount() == 1 }
            #expect(await controller.end() == nil)
        }
    }

    @Test("A receipt that was right once is worth nothing for another order, or another device")
    func replayed() async throws {
        let site = try await Site()
        let devices = Sample.devices(2)
        let signers = [SignedDevice(), SignedDevice()]
        for (device, signer) in zip(devices, signers) {
            try await site.enrol(signer.key, of: device)
        }
        // The gateway has one receipt, of the first device in its first turn, and uses it always.
        let kept = KeptReceipt()
        let east = site.gateway(Sample.east, places: 1) { device, order in
            order.nonce.map { nonce in
                .proved(kept.receipt { signers[device == devices[0] ? 0 : 1].receipt(nonce) })
            }
        }
        let controller = try await site.controller("one")
        try await east.hear(devices)
        try await site.awaitKeys(2)
        let plan = Sample.plan(stages: [10_000], failuresAllowed: 10_000, receipts: .required)
        try await site.start(plan, devices: 2)
        try await site.awaitPhase(.finished)
        let outcomes = try await site.records().compactMap { $0.job?.outcome }
        #expect(outcomes.filter { $0 == .succeeded }.count == 1)
        #expect(outcomes.filter { $0 == .failed }.count == 1)
        #expect(try await site.auditCount() == 1)
        #expect(await controller.end() == nil)
    }

    @Test("An honest gateway gets the device after one that forged its receipt")
    func secondGateway() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        let signer = SignedDevice()
        try await site.enrol(signer.key, of: device)
        let west = site.gateway(Sample.west) { _, order in
            order.nonce.map { .proved(SignedDevice().receipt($0)) }
        }
        let east = site.gateway(Sample.east) { _, order in
            order.nonce.map { .proved(signer.receipt($0)) }
        }
        let controller = try await site.controller("one")
        // The liar hears the device better.
        try await west.hear([device], strength: -40)
        try await east.hear([device], strength: -80)
        try await site.awaitKeys(1)
        try await site.start(Sample.plan(attempts: 3, receipts: .required), devices: 1)
        try await site.awaitPhase(.finished)
        let record = try await site.record(device)
        #expect(record.job?.isSigned == true && record.turn == Turn(2))
        #expect(west.orders.map(\.order.turn) == [Turn(1)])
        #expect(east.orders.map(\.order.turn) == [Turn(2)])
        #expect(try await site.auditCount() == 1)
        #expect(await controller.end() == nil)
    }

    @Test("Without a receipt, a success counts for a device without a key alone, and is marked")
    func unsigned() async throws {
        for rule in ReceiptRule.allCases {
            let site = try await Site()
            let devices = Sample.devices(2)
            let east = site.gateway(Sample.east) { _, _ in .succeeded }
            try await site.enrol(SignedDevice().key, of: devices[0])
            let controller = try await site.controller("one")
            try await east.hear(devices)
            try await site.awaitKeys(1)
            let plan = Sample.plan(stages: [10_000], failuresAllowed: 10_000, receipts: rule)
            try await site.start(plan, devices: 2)
            try await site.awaitPhase(.finished)
            let (known, unknown) = (
                try await site.record(devices[0]), try await site.record(devices[1])
            )
            #expect(known.job?.outcome == .failed, "\(rule)")
            #expect(unknown.job?.outcome == (rule == .optional ? .succeeded : .failed), "\(rule)")
            #expect(unknown.job?.isSigned == false, "\(rule)")
            // Nobody has lied: the device may be an old one.
            #expect(try await site.auditCount() == 0, "\(rule)")
            #expect(await controller.end() == nil)
        }
    }

    @Test("The first receipt enrols a key, if the campaign says so, and no other counts later")
    func enrolling() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        let signers = [SignedDevice(), SignedDevice()]
        let summer = CampaignID("summer")!
        let east = site.gateway(Sample.east) { _, order in
            order.nonce.map { .proved(signers[order.campaign == summer ? 1 : 0].receipt($0)) }
        }
        let controller = try await site.controller("one")
        try await east.hear([device])
        try await site.start(Sample.plan(receipts: .enrolling), devices: 1)
        try await site.awaitPhase(.finished)
        #expect(try await site.record(device).key == signers[0].key)
        #expect(try await site.record(device).job?.isSigned == true)

        // It is heard with what it left the factory with, and gets the image once more.
        try await east.hear([device])
        try await eventually("the device was set back") {
            try await site.record(device).version == Sample.old
        }
        let plan = Sample.plan(summer, failuresAllowed: 10_000, receipts: .enrolling)
        try await site.start(plan, devices: 1)
        try await site.awaitPhase(.finished, summer)
        let record = try await site.record(device)
        #expect(record.job?.outcome == .failed && record.key == signers[0].key)
        #expect(try await site.auditCount() == 1)
        #expect(await controller.end() == nil)
    }
}
