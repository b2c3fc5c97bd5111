/// A command of a page, and the output that the page shows below it.
package struct PageCommand: CustomStringConvertible {
    /// As a shell takes it, without the prompt and without the `&` of one that keeps running.
    package private(set) var text: String
    /// Whether it keeps running while the next commands run.
    package var isInBackground = false
    /// Empty if the page shows no output.
    package private(set) var output: [String] = []
    /// The index in the page of the line below the command.
    package private(set) var outputStart: Int
    package let page: String

    package var description: String { "\(page):\(outputStart): \(text)" }

    /// Whether the command prints the exit code of the one before it.
    var asksForStatus: Bool { text == "echo $?" }

    /// Whether it prints the same every time: virtual time, or a drawn seed.
    var isRepeatable: Bool { text.hasPrefix("bleota simulate") || text.contains(" --simulated") }

    /// The commands of a block, each at a line that begins with `$ `.
    package static func all(in block: PageBlock) throws -> [PageCommand] {
        var commands: [PageCommand] = []
        var isContinued = false
        for (index, line) in block.lines.enumerated() {
            let next = block.start + index + 1
            if isContinued || line.hasPrefix("$ ") {
                var text = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
                if isContinued, let last = commands.popLast() { text = last.text + text }
                isContinued = text.hasSuffix("\\")
                if isContinued { text.removeLast() }
                commands.append(PageCommand(text: text, outputStart: next, page: block.page))
            } else if commands.isEmpty {
                throw PageProblem("\(block): begins with output")
            } else {
                commands[commands.count - 1].output.append(line)
            }
        }
        return commands.map { command in
            var command = command
            if command.text.hasSuffix(" &") {
                command.isInBackground = true
                command.text.removeLast(2)
            }
            return command
        }
    }
}

package struct PageProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
