import Glibc
import Testing

/// The state tables of one section of spec/bleota.md: cells by state and input.
struct StateTable {
    private(set) var cells: [String: [String: String]] = [:]
    private(set) var states: [String] = []
    private(set) var inputs: [String] = []

    /// Reads every table of the section whose first column is headed `state`, for a test file that
    /// lies directly in its target's folder.
    init(section: String, file: String = #filePath) throws {
        let path = file.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try #require(StateTable.read("/" + path + "/spec/bleota.md"))
        var isInside = false
        var header: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { isInside = line.hasPrefix("### \(section) ") }
            guard isInside, line.hasPrefix("|") else {
                header = nil
                continue
            }
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map { StateTable.trimmed($0) }
            guard let present = header else {
                header = fields.first == "state" ? fields : []
                continue
            }
            if present.isEmpty || fields.allSatisfy({ $0.allSatisfy { $0 == "-" } }) { continue }
            record(fields, under: present)
        }
        #expect(!cells.isEmpty, "section \(section) has no state table")
    }

    private mutating func record(_ fields: [String], under header: [String]) {
        #expect(fields.count == header.count, "a row of \(fields[0]) has \(fields.count) cells")
        if !states.contains(fields[0]) { states.append(fields[0]) }
        for (input, cell) in zip(header, fields).dropFirst() {
            if !inputs.contains(input) { inputs.append(input) }
            #expect(cells[fields[0]]?[input] == nil, "\(fields[0]) × \(input) stands twice")
            cells[fields[0], default: [:]][input] = cell
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    /// Compares every cell with what the machine does; both must have the same rows and columns.
    func compare(
        states expectedStates: [String],
        inputs expectedInputs: [String],
        _ does: (_ state: String, _ input: String) -> String?
    ) {
        #expect(Set(states) == Set(expectedStates))
        #expect(Set(inputs) == Set(expectedInputs))
        for state in expectedStates {
            for input in expectedInputs {
                let does = does(state, input) ?? "×"
                let says = cells[state]?[input] ?? "no cell"
                #expect(does == says, "\(state) × \(input)")
            }
        }
    }

    /// The tables as they should stand in the specification, to be read before they are put there.
    static func draft(
        states: [String],
        groups: [[String]],
        _ does: (_ state: String, _ input: String) -> String?
    ) -> String {
        groups.map { group in
            let header = "| state | " + group.joined(separator: " | ") + " |"
            let rule = "|" + String(repeating: " --- |", count: group.count + 1)
            let rows = states.map { state in
                "| \(state) | " + group.map { does(state, $0) ?? "×" }.joined(separator: " | ")
                    + " |"
            }
            return ([header, rule] + rows).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
