import ArgumentParser
import BLEOTA
import BLEOTACore
import Glibc
import SystemPackage

/// `bleota decode`: describes recorded datagrams, one line per frame.
struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Print what recorded datagrams mean.",
        usage: "bleota decode <HEX|FILE> ... [<options>]",
        discussion: """
            A file contains one frame per line in hexadecimal, or is a trace that push, pull, \
            receive or simulate wrote with --trace; - reads standard input. Checksums depend on \
            the session, object and epoch. All three are taken from earlier frames; --session \
            gives the session if the frame that began it is missing.

            Example:
              bleota decode 1113db3cc901000040900242d5c96bec1ef9
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Frames in hexadecimal, or files that contain them.",
            valueName: "HEX|FILE"
        ),
        completion: .file()
    )
    var input: [String]

    @Option(help: ArgumentHelp("Session number, such as 0x1234.", valueName: "N"))
    var session: String?

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        if let session, Self.number(session) == nil {
            throw ValidationError(
                "a session number must be 0 to 65535, or 0x0 to 0xffff, not \(session)"
            )
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try Command.runFilter(reporter) { try decode(reporter) }
    }

    private func decode(_ reporter: Reporter) throws {
        var describer = FrameDescriber(
            session: session.flatMap(Self.number).map(SessionNumber.init)
        )
        var isAllWellFormed = true
        for argument in input {
            for (index, line) in try Self.lines(of: argument).enumerated() {
                let place = "\(argument) line \(index + 1)"
                guard let text = try Self.describe(line, at: place, with: &describer) else {
                    continue
                }
                let isFrame = !text.hasPrefix("?")
                isAllWellFormed = isAllWellFormed && isFrame
                reporter.event(Self.event(text, isFrame, of: argument, line: index + 1))
                if !outputOptions.json { Terminal.printLine(text) }
            }
        }
        if !isAllWellFormed {
            throw Failure(
                .refused,
                "Lines that begin with ? show damaged frames, or data that is not a frame of this "
                    + "protocol; check that the capture contains whole attribute values and begins "
                    + "with OPEN, or give --session."
            )
        }
    }

    private static func event(
        _ text: String,
        _ isFrame: Bool,
        of argument: String,
        line: Int
    ) -> JSONLine {
        JSONLine(event: "frame").adding("source", argument).adding("line", line)
            .adding("wellFormed", isFrame).adding("text", text)
    }

    private static func describe(
        _ line: String,
        at place: String,
        with describer: inout FrameDescriber
    ) throws(Failure) -> String? {
        do throws(TraceError) {
            return try describer.describe(line: line)
        } catch {
            throw Failure(
                .refused,
                "\(place): \(error) Give frames in hexadecimal, or a file written by --trace."
            )
        }
    }

    private static func lines(of argument: String) throws -> [String] {
        if argument == "-" {
            var lines: [String] = []
            while let line = readLine() { lines.append(line) }
            return lines
        }
        let isHex = argument.utf8.allSatisfy { isxdigit(Int32($0)) != 0 }
        if isHex, access(argument, F_OK) != 0 { return [argument] }
        return try TextFile.lines(of: FilePath(argument: argument))
    }

    private static func number(_ text: String) -> UInt16? {
        text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
    }
}
