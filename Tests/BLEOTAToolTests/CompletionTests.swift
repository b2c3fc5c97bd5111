import BLEOTATestSupport
import Testing

/// What a user of bash gets who presses Tab: the script that the tool writes, run in bash.
@Suite("Completion", .timeLimit(.minutes(2)))
struct CompletionTests {
    private let place = ToolDirectory()

    /// What bash offers at the end of a line. Like bash itself it ends words at blanks and colons.
    private func completions(of line: String) async throws -> Set<String> {
        let script = try await place.run("--generate-completion-script", "bash").output
        place.write(Array(script.utf8), to: "bleota.bash")
        let program = """
            source ./bleota.bash
            COMP_LINE=$1
            COMP_POINT=${#COMP_LINE}
            words=${COMP_LINE//:/ : }
            read -r -a COMP_WORDS <<<"$words"
            [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            current=${COMP_WORDS[COMP_CWORD]}
            COMP_WORDS[0]=$2
            [[ $current != : ]] || current=
            _bleota bleota "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await RunningTool(
            ["bash", "-c", "cd '\(place.root)' && \(program)", "bash", line, RunningTool.path],
            in: place,
            program: "/usr/bin/env"
        ).end()
        #expect(result.errors.isEmpty, "\(result.errors)")
        return Set(result.output.split(separator: "\n").map(String.init))
    }

    @Test(
        "Commands and the values of options are completed",
        arguments: [
            ("bleota pu", ["push", "pull"]),
            ("bleota key g", ["generate"]),
            ("bleota receive --link ", ["open", "encrypted", "authenticated"]),
            ("bleota bench --simulated --phy c", ["coded-s2", "coded-s8"]),
            ("bleota push x --write-mode with-", ["with-response"]),
            ("bleota key generate --algorithm ", ["ed25519", "p256"]),
            ("bleota push x --format ", ["auto", "raw"]),
            ("bleota push x --protocol ", ["bleota", "smp", "nordic-dfu", "esp-ota"]),
            (
                "bleota push x --connect ",
                ["unix:", "serial:", "smp+udp:", "smp+serial:", "smp+raw:"]
            ),
            ("bleota push x --connect se", ["serial:"]),
            ("bleota device info --connect ", ["smp+udp:", "smp+serial:", "smp+raw:"]),
            ("bleota pull x --connect s", ["serial:"]),
            ("bleota push x --connect smp+udp:h", []),
            ("bleota receive --listen u", ["unix:"]),
        ] as [(String, Set<String>)]
    )
    func values(line: String, expected: Set<String>) async throws {
        #expect(try await completions(of: line) == expected)
    }

    @Test("After unix: and serial: there are paths, and a bundle is completed by its name")
    func paths() async throws {
        for name in ["device.socket", "device.bleota", "other.bin"] { place.write([0], to: name) }
        for target in [
            "push x --connect unix:", "receive --listen serial:", "bench --connect unix:",
            "push x --connect smp+serial:", "receive --listen smp+raw:",
        ] {
            let found = try await completions(of: "bleota \(target)\(place.path("device."))")
            #expect(found == [place.path("device.socket"), place.path("device.bleota")])
        }
        let all = try await completions(of: "bleota push x --connect unix:")
        #expect(all.isSuperset(of: ["device.socket", "device.bleota", "other.bin"]), "\(all)")
        #expect(try await completions(of: "bleota verify d") == ["device.bleota"])
    }
}
