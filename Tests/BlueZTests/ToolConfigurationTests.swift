import Testing

@testable import BLEOTATool

@Suite("The doctor and the daemon's settings", .timeLimit(.minutes(1)))
struct ToolConfigurationTests {
    /// As Debian ships it: everything is a comment.
    private static let untouched = """
        [General]
        #Name = BlueZ

        [LE]
        # The following values are used to load default adapter parameters for LE.
        #MinConnectionInterval=
        #MaxConnectionInterval=
        #ConnectionSupervisionTimeout=

        [GATT]
        #Channels = 1
        """

    private func finding(
        _ subject: String,
        _ text: String,
        version: String? = "5.66"
    ) throws -> Finding {
        let findings = ConfigurationCheckup.findings(DaemonConfiguration(text), version: version)
        return try #require(findings.first { $0.subject == subject })
    }

    @Test(
        "pitfall 20: the defaults cost time, and the remedy is what to write where",
        arguments: [
            ("connection interval", "MinConnectionInterval = 12 and MaxConnectionInterval = 12"),
            ("supervision timeout", "ConnectionSupervisionTimeout = 400"),
        ]
    )
    func defaults(_ subject: String, _ lines: String) throws {
        let finding = try finding(subject, Self.untouched)
        #expect(finding.grade == .note)
        let place = "in /etc/bluetooth/main.conf, "
        #expect(
            finding.remedy
                == "\(place)set \(lines) in section [LE]; then run systemctl restart bluetooth"
        )
        // Who has done so is told that it is well.
        let changed = lines.split(separator: " and ").joined(separator: "\n")
        #expect(try self.finding(subject, "\(Self.untouched)\n[LE]\n\(changed)").grade == .ok)
    }

    /// The doctor reported one channel for a daemon whose version it could not learn.
    @Test("the number of GATT channels is that of the release, which may not be known")
    func channels() throws {
        let rows: [(version: String?, grade: Finding.Grade, start: String)] = [
            ("5.66", .note, "3: "), ("5.67", .ok, "1"), (nil, .note, "not set, which means 3"),
        ]
        for row in rows {
            let found = try finding("GATT channels", Self.untouched, version: row.version)
            #expect(found.grade == row.grade)
            #expect(found.what.hasPrefix(row.start), "\(found.what)")
        }
        let set = try finding("GATT channels", "[GATT]\nChannels = 1", version: nil)
        #expect(set.grade == .ok)
    }

    @Test(
        "a release that is known to crash is a note, unless systemd starts it again",
        arguments: [
            ("5.66", "", Finding.Grade.note), ("5.82", "[Service]\nRestart=no", .note),
            ("5.82", "[Service]\nRestart=on-failure", .ok), ("5.72", "", .ok),
        ]
    )
    func release(_ version: String, _ unit: String, _ grade: Finding.Grade) {
        let finding = DaemonCheckup.finding(version: version, unit: DaemonConfiguration(unit))
        #expect(finding.grade == grade)
        #expect(finding.what.hasPrefix("BlueZ \(version)"))
        #expect(finding.remedy?.contains("Restart=on-failure") == (grade == .note ? true : nil))
    }

    @Test(
        "a kernel that is known to fail under the daemon is a note",
        arguments: [
            (
                "6.1.0-44-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-01)", true,
                "6.1.192"
            ),
            ("6.1.21-v8+", "#1642 SMP PREEMPT", true, "6.1.21"),
            ("6.12.57+deb13-amd64", "#1 SMP Debian 6.12.57-1 (2025-11-05)", false, "6.12.57"),
            ("6.10.3", "", false, "6.10.3"), ("", "", false, ""),
            ("6.1.0-1", "Debian", true, "6.1.0"),
        ]
    )
    func kernel(_ release: String, _ build: String, _ fails: Bool, _ source: String) {
        let finding = KernelCheckup.finding(release: release, build: build)
        #expect(finding.grade == (fails ? .note : .ok))
        #expect(finding.what.hasPrefix(source))
        #expect(finding.what.contains("crash") == fails)
        #expect((finding.remedy != nil) == fails)
    }

    @Test(
        "pitfall 20: a longer interval is slow, a short timeout gives up early",
        arguments: [
            ("connection interval", "MaxConnectionInterval=12", .ok, "up to 15 ms"),
            ("connection interval", "MaxConnectionInterval=24", .ok, "up to 30 ms"),
            ("connection interval", "MaxConnectionInterval=25", .note, "up to 31 ms"),
            ("connection interval", "MaxConnectionInterval=40", .note, "up to 50 ms"),
            ("supervision timeout", "ConnectionSupervisionTimeout=42", .note, "420 ms"),
            ("supervision timeout", "ConnectionSupervisionTimeout=199", .note, "1990 ms"),
            ("supervision timeout", "ConnectionSupervisionTimeout=200", .ok, "2000 ms"),
        ] as [(String, String, Finding.Grade, String)]
    )
    func values(_ subject: String, _ line: String, _ grade: Finding.Grade, _ what: String) throws {
        let finding = try finding(subject, "[LE]\n\(line)")
        #expect(finding.grade == grade)
        #expect(finding.what.hasPrefix(what), "\(finding.what)")
    }
}
