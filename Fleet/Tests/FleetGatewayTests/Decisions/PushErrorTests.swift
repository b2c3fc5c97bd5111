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

    @Test("A refusal that the device would repeat is final, and no other is")
    func finalRefusals() {
        let library: [(RefusalReason, isFinal: Bool)] = [
            (.busy, false), (.noSpace, false), (.storeFailed, false), (.tooLarge, true),
            (.notNow, false), (.unsigned, true), (.untrustedKey, true), (.badSignature, true),
            (.wrongHardware, true), (.wrongComponent, true), (.downgrade, true), (.expired, true),
            (.unsupportedEncoding, true), (.wrongBase, true), (.wrongRecipient, true),
            (.imageMismatch, false), (.withdrawn, false), (.cancelled, false), (.silent, false),
            (.stalled, false), (.version, true),
        ]
        for (reason, isFinal) in library {
            let refusal = Refusal(rawValue: reason.description)
            #expect(refusal?.isFinal == isFinal, "\(reason)")
            let kind = PushError.kind(.refused, refusal, isRetryable: false)
            #expect(kind == (isFinal ? .rejected : .refused), "\(reason)")
        }
        // Two that the library passes on and doesn't name.
        #expect(Set(Refusal.allCases).count == library.count + 2)
        #expect(Refusal(rawValue: "reason 9999") == nil)
        #expect(PushError.kind(.refused, nil, isRetryable: false) == .refused)
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
    func advertisements() throws {
        for group in [nil, GroupName("hall")] {
            let advertisement = Advertisement(
                hardware: HardwareName("lamp")!,
                group: group,
                version: Sample.new,
                strength: Strength(dBm: -70)!
            )
            #expect(try Advertisement(advertisement.text) == advertisement)
            for line in advertisement.text.split(separator: "\n") where !line.hasPrefix("group") {
                let without = advertisement.text.replacing(line, with: "")
                #expect((try? Advertisement(without)) == nil, "\(line)")
                let twice = try? Advertisement(advertisement.text + line)
                #expect(twice == nil, "twice \(line)")
            }
        }
        let whole = "hardware lamp\nversion 1.0.0\nstrength -60\n"
        #expect(throws: Never.self) { try Advertisement(whole) }
        for (text, problem) in [
            ("colour red", "its lines are hardware, group, version and strength, not 'colour'"),
            ("group a b", "a line is a word, a space and a value, not 'group a b'"),
            ("group ", "a group is 1 to 64 letters, digits, '_' and '-', not ''"),
            ("strength 200", "a strength is -127 to 20, not '200'"),
            ("version 1", "a version is three numbers such as 2.1.0, not '1'"),
            ("hardware \u{1B}[2J/", "hardware is named like acme/lamp or lamp, not '?[2J/'"),
        ] {
            let word = text.prefix { $0 != " " }
            let lines = whole.split(separator: "\n").filter { !$0.hasPrefix(word) }
            let error = #expect(throws: Advertisement.Problem.self) {
                try Advertisement((lines + [text[...]]).joined(separator: "\n"))
            }
            #expect(error?.description == problem)
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
