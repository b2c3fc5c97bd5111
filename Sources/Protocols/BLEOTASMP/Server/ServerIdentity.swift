import Glibc

/// The facts that a device reports about itself.
package struct ServerIdentity: Sendable {
    /// A fact, with the letter by which `uname` and SMP ask for it.
    package struct Fact: Sendable {
        let letter: Character
        let value: String

        package init(_ letter: Character, _ value: String) {
            self.letter = letter
            self.value = value
        }
    }

    let facts: [Fact]
    /// The name that a client gets for the bootloader.
    let bootloader: String

    package init(facts: [Fact], bootloader: String = "bleota") {
        self.facts = facts
        self.bootloader = bootloader
    }

    /// This machine, as `uname` describes it.
    package static var ofThisMachine: ServerIdentity {
        var name = utsname()
        guard uname(&name) == 0 else { return ServerIdentity(facts: [Fact("s", "Linux")]) }
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
        return ServerIdentity(facts: [
            Fact("s", text(name.sysname)), Fact("n", text(name.nodename)),
            Fact("r", text(name.release)), Fact("v", text(name.version)),
            Fact("m", text(name.machine)), Fact("p", text(name.machine)), Fact("o", "bleota"),
        ])
    }

    /// The facts that `format` asks for, in the order of `uname`; `nil` if a letter is unknown.
    func text(format: String) -> String? {
        if format.contains("a") { return facts.map(\.value).joined(separator: " ") }
        guard format.allSatisfy({ letter in facts.contains { $0.letter == letter } }) else {
            return nil
        }
        return facts.filter { format.contains($0.letter) }.map(\.value).joined(separator: " ")
    }
}
