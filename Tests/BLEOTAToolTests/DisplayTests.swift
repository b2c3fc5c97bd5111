import Testing

@testable import BLEOTA
@testable import BLEOTATool

/// How text and progress are laid out for a terminal.
@Suite("Display")
struct DisplayTests {
    @Test("A line of progress has no more columns than there are, and shows what fits")
    func progressLine() {
        let line = ProgressLine(
            progress: progress(1_234_567, resent: 1_234),
            bytesPerSecond: 41_200,
            secondsLeft: 65
        )
        for columnCount in 5...200 {
            #expect(line.text(columnCountMax: columnCount).count <= columnCount)
        }
        func bar(_ done: Int, _ left: Int) -> String {
            "[" + String(repeating: "=", count: done) + ">" + String(repeating: " ", count: left)
                + "]"
        }
        let figures = "  30 %  1,234,567 of 4,000,000 bytes   41.2 kB/s  1 min 05 s left"
        #expect(line.text(columnCountMax: 119) == bar(11, 26) + figures + "  1,234 resent")
        #expect(line.text(columnCountMax: 79) == bar(3, 8) + figures)
        #expect(line.text(columnCountMax: 40) == bar(4, 10) + "  30 %  1 min 05 s left")
        #expect(line.text(columnCountMax: 8) == " 30 %")
    }

    @Test("A bar is full only when all is stored")
    func ends() {
        func text(_ byteCount: Int) -> String {
            ProgressLine(progress: progress(byteCount), bytesPerSecond: 0, secondsLeft: nil)
                .text(columnCountMax: 40)
        }
        #expect(text(0).hasPrefix("[> ") && text(0).contains("]   0 %"))
        #expect(text(3_999_999).contains(">]  99 %"))
        #expect(text(4_000_000).contains("==] 100 %"))
    }

    @Test("Rate and time left stand still where the estimates only wobble")
    func steady() {
        var steady = SteadyProgress()
        let start = ContinuousClock.now
        var shown: [String] = []
        for tenth in 0..<50 {
            let byteCount = 100_000 + tenth * 10_000
            var progress = progress(byteCount)
            progress.bytesPerSecond = 100_000 * (tenth.isMultiple(of: 2) ? 0.95 : 1.05)
            let line = steady.line(of: progress, at: start + .milliseconds(100 * tenth))
            shown.append(Units.wholeTime(line.secondsLeft ?? -1))
        }
        // Five seconds, each shown for as long as it lasts.
        #expect(Set(shown).count <= 6)
        for (one, next) in zip(shown, shown.dropFirst()) where one != next {
            #expect(seconds(next) == seconds(one) - 1, "\(shown)")
        }
    }

    @Test("A time left that has become another one is shown")
    func steadyAndTrue() {
        var steady = SteadyProgress()
        let start = ContinuousClock.now
        var progress = progress(1_000_000)
        progress.bytesPerSecond = 100_000
        #expect(steady.line(of: progress, at: start).secondsLeft == 30)
        progress.bytesPerSecond = 10_000
        #expect(steady.line(of: progress, at: start + .seconds(1)).secondsLeft == 300)
        #expect(steady.line(of: progress, at: start + .seconds(2)).secondsLeft == 299)
    }

    @Test("Text from outside moves no cursor and turns no direction")
    func clean() {
        #expect(TerminalText.clean("a\u{1B}[2Jb\tc\nd\u{202E}e\u{9B}f") == "a?[2Jb?c?d?e?f")
        #expect(TerminalText.clean("naïve 漢字 💡") == "naïve 漢字 💡")
        #expect(
            JSONLine(event: "a\u{202E}\u{7F}\u{E0041}").finished
                == #"{"event":"a\u202e\u007f\udb40\udc41"}"#
        )
    }

    @Test("A text is cut to columns, of which wide characters and emoji take two")
    func fitted() {
        #expect(TerminalText.fitted("kitchen", columnCountMax: 7) == "kitchen")
        #expect(TerminalText.fitted("kitchen", columnCountMax: 6) == "kitch…")
        #expect(TerminalText.fitted("居間の灯", columnCountMax: 8) == "居間の灯")
        #expect(TerminalText.fitted("居間の灯", columnCountMax: 7) == "居間の…")
        #expect(TerminalText.fitted("居間の灯", columnCountMax: 6) == "居間…")
        #expect(TerminalText.padded("é💡", columnCount: 5) == "é💡  ")
        #expect(TerminalText.columnCount(of: "e\u{301}❤\u{FE0F}") == 3)
    }

    @Test("Any argument is kept byte for byte, and no two become the same text")
    func argumentBytes() {
        let arguments: [[UInt8]] = [
            [0x61, 0xFF, 0x62], [0xC3], [0xC3, 0xA4], [0xED, 0xA0, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x8F, 0xBE, 0x80], [0xFF], [0xF0, 0x9F, 0x92, 0xA1], [0xF0, 0x9F, 0x92], [],
            [0xC0, 0xAF], [0xEF, 0xBF, 0xBD],
        ]
        let texts = arguments.map { bytes in
            ArgumentBytes.text(of: bytes.map { CChar(bitPattern: $0) })
        }
        #expect(texts.map { ArgumentBytes.bytes(of: $0) } == arguments)
        #expect(Set(texts).count == arguments.count)
        #expect(ArgumentBytes.readable(texts[0]) == "a\u{FFFD}b")
    }

    @Test(
        "A command that is misspelled is recognised, and another word is not",
        arguments: [
            ("psh", "push"), ("pushh", "push"), ("recieve", "receive"), ("pul", "pull"),
            ("simluate", "simulate"), ("frobnicate", nil), ("x", nil), ("push", nil),
            ("--verison", nil),
        ]
    )
    func suggestion(word: String, command: String?) {
        let sentence = Suggestion.sentence(for: [word, "image.bin"])
        #expect(
            sentence
                == command.map { "bleota: \(word) is not a command; did you mean bleota \($0)?" }
        )
    }

    private func seconds(_ text: String) -> Int { Int(text.filter(\.isNumber)) ?? -1 }

    private func progress(_ byteCount: Int, resent: Int = 0) -> TransferProgress {
        TransferProgress(
            durableByteCount: byteCount,
            totalByteCount: 4_000_000,
            bytesPerSecond: 100_000,
            dataFramesSent: 10_000,
            dataFramesResent: resent
        )
    }
}
