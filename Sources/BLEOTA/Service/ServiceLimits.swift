/// What a receiver that serves several peers grants each of them, so that none of them keeps the
/// others out.
package struct ServiceLimits: Sendable, Hashable {
    /// How many links are served side by side, at least 1. When one more comes, one of the process
    /// that has most makes room: the oldest without a session, if there is one. Default: a quarter
    /// of the descriptors that the process may open, and 256 at most.
    package var linkCountMax = DescriptorBudget.ofProcess.linkCountMax
    /// How long a link may go without a session; `nil` for ever, as for a line that has no
    /// connections. Default: 60 s.
    package var idleLimit: Duration? = .seconds(60)
    /// How long a peer that has credit may go without sending a chunk that is missing, whatever
    /// else it sends. Then the session ends with RESULT *stalled*, and the link with it.
    /// Default: 60 s.
    package var progressLimit: Duration = .seconds(60)
    /// How long the sessions of a link may go without getting further than ever, although chunks
    /// arrive; at least ``progressLimit``. Then they end in the same way. Default: 600 s.
    package var repetitionLimit: Duration = .seconds(600)
    /// How long a session may take for 4 KiB of anything new while another peer waits for the
    /// store, and for how long it may receive in all before it is the other's turn. Before its
    /// manifest is accepted, the time is divided by the number of processes that wait. A transfer
    /// that makes way goes on in its next turn. One that a trusted key has signed may receive for
    /// twenty times as long, and one over a link whose peer has no process, such as Bluetooth, four
    /// times. Default: 500 ms.
    package var patience: Duration = .milliseconds(500)

    /// The defaults.
    package init() {}
}
