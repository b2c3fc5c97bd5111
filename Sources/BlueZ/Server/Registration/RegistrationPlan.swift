import DBus

/// What to tell the daemon, and whom of its objects.
struct RegistrationPlan: Sendable {
    /// A method and its arguments.
    struct Step: Sendable {
        let member: String
        let body: [BusValue]

        init(_ member: String, _ body: [BusValue]) {
            self.member = member
            self.body = body
        }
    }

    /// The interface with the methods.
    let manager: String
    /// The adapter that has it; `nil` if it is the daemon's own.
    let seat: AdapterReference?
    /// Whether the adapter has to be switched on for it.
    let needsPower: Bool
    /// Whether it counts as done if the daemon says that it knows us already. Otherwise the daemon
    /// is made to forget us before it is told again.
    let outlivesPower: Bool
    /// How to register.
    let steps: [Step]
    /// How to take it back.
    let undoing: Step
}
