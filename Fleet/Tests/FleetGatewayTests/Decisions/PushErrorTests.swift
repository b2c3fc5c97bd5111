import BLEOTA
import FleetGateway
import FleetModel
import Testing

@Suite("Whose failure a failed push is")
struct PushErrorTests {
    @Test("Each code of the library has its kind")
    func everyCode() {
        let kinds: [(TransferError.Code, Failure.Kind, retryable: Failure.Kind)] = [
            (.refused, .refused, .unreachable), (.notRunning, .refused, .unreachable),
            (.protocolViolated, .refused, .refused), (.wrongImageVerified, .refused, .refused),
            (.unsupported, .refused, .refused), (.noSuchObject, .refused, .refused),
            (.linkLost, .unreachable, .unreachable), (.silent, .unreachable, .unreachable),
            (.stalled, .unreachable, .unreachable), (.cannotConnect, .unreachable, .unreachable),
            (.unreadable, .gateway, .gateway), (.storeFailed, .gateway, .gateway),
            (.cannotListen, .gateway, .gateway),
            (TransferError.Code(rawValue: "later"), .gateway, .unreachable),
        ]
        for (code, kind, retryable) in kinds {
            #expect(PushError.kind(code, isRetryable: false) == kind, "\(code)")
            #expect(PushError.kind(code, isRetryable: true) == retryable, "\(code)")
        }
    }
}

@Suite("What devices say of themselves")
struct AdvertisementTests {
    @Test("Three numbers are a version, with or without the number of a build")
    func versions() {
        #expect(FirmwareVersion(advertised: "1.2.3") == FirmwareVersion(1, 2, 3))
        #expect(FirmwareVersion(advertised: "1.2.3+40") == FirmwareVersion(1, 2, 3))
        #expect(FirmwareVersion(advertised: "65535.0.1-rc1") == FirmwareVersion(65_535, 0, 1))
        let others = ["", "1", "1.2", "1.2.3.4", "1.2.x", "1.2.+3", "v1.2.3", "1.2.65536", "1..3"]
        for text in others { #expect(FirmwareVersion(advertised: text) == nil, "\(text)") }
    }

    @Test("An advertisement is read as it was written, and nothing else is")
    func advertisements() {
        for group in [nil, GroupName("hall")] {
            let advertisement = Advertisement(
                hardware: HardwareName("lamp")!,
                group: group,
                version: Sample.new,
                strength: Strength(dBm: -70)!
            )
            #expect(Advertisement(advertisement.text) == advertisement)
            for line in advertisement.text.split(separator: "\n") where !line.hasPrefix("group") {
                let without = advertisement.text.replacing(line, with: "")
                #expect(Advertisement(without) == nil, "\(line)")
                #expect(Advertisement(advertisement.text + line) == nil, "twice \(line)")
            }
        }
        for text in ["colour red", "group a b", "group ", "strength 200", "version 1"] {
            let whole = "hardware lamp\nversion 1.0.0\nstrength -60\n"
            #expect(Advertisement(whole) != nil)
            let word = text.prefix { $0 != " " }
            let lines = whole.split(separator: "\n").filter { !$0.hasPrefix(word) }
            #expect(Advertisement((lines + [text[...]]).joined(separator: "\n")) == nil, "\(text)")
        }
    }

    @Test("The longest prefix of a name says what a device is")
    func rules() {
        let rules = ["=thing", "lamp-=lamp", "lamp-hall-=acme/lamp@hall"].map { NameRule($0)! }
        #expect(NameRule.rule(for: "lamp-hall-3", among: rules)?.group == GroupName("hall"))
        #expect(NameRule.rule(for: "lamp-hall-3", among: rules)?.hardware.text == "acme/lamp")
        #expect(NameRule.rule(for: "lamp-3", among: rules)?.hardware == HardwareName("lamp"))
        #expect(NameRule.rule(for: "pump", among: rules)?.hardware == HardwareName("thing"))
        #expect(NameRule.rule(for: "pump", among: [rules[1]]) == nil)
        for text in ["lamp", "lamp=", "lamp=a/", "lamp=/a", "lamp=a@", "lamp=@a", "lamp=a b"] {
            #expect(NameRule(text) == nil, "\(text)")
        }
    }

    @Test("A Bluetooth address is a name, and back")
    func addresses() {
        #expect(BlueZAir.id(of: "B8:27:EB:12:34:56") == DeviceID("B827EB123456"))
        #expect(BlueZAir.address(of: DeviceID("B827EB123456")!) == "B8:27:EB:12:34:56")
        for text in ["B827EB12345", "B827EB1234567", "B827EB12345G", "lamp"] {
            #expect(BlueZAir.address(of: DeviceID(text)!) == nil, "\(text)")
        }
    }
}
