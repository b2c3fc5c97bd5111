import DBus

/// The method calls that register a local object with the daemon, and the daemon's object on which
/// they are made.
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

    /// The name of the interface that has the methods.
    let manager: String
    /// The adapter that has the interface; `nil` if the daemon's main object has it.
    let seat: AdapterReference?
    /// Whether the adapter must be switched on for the registration.
    let needsPower: Bool
    /// Whether the daemon's error "already exists" counts as success. If not, an earlier
    /// registration is undone before each repeated attempt.
    let outlivesPower: Bool
    /// The calls that register the object.
    let steps: [Step]
    /// The call that undoes the registration.
    let undoing: Step
}
