#if BlueZ
/// The result of one check.
struct Finding {
    enum Grade: String {
        /// No change is needed.
        case ok
        /// Works, but could be better.
        case note
        /// Does not work, or slows transfers down.
        case problem
    }

    let grade: Grade
    let subject: String
    /// The state that was found.
    let what: String
    /// The setting to change, or the command to run.
    let remedy: String?

    init(_ grade: Grade, _ subject: String, _ what: String, remedy: String? = nil) {
        self.grade = grade
        self.subject = subject
        self.what = what
        self.remedy = remedy
    }

    var line: JSONLine {
        JSONLine(event: "finding").adding("grade", grade.rawValue).adding("subject", subject)
            .adding("found", what).adding("remedy", remedy)
    }

    /// The finding as text: the state, and below it the remedy.
    var lines: [String] {
        let grade =
            self.grade.rawValue + String(repeating: " ", count: 8 - self.grade.rawValue.count)
        let subject = self.subject + String(repeating: " ", count: max(20 - self.subject.count, 1))
        let indent = String(repeating: " ", count: grade.count + subject.count)
        return [grade + subject + what] + (remedy.map { [indent + $0] } ?? [])
    }
}
#endif
