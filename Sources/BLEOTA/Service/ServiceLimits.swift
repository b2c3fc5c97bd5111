/// The limits that a receiver sets for each of its peers, so that no peer shuts out the others.
package struct ServiceLimits: Sendable, Hashable {
    /// How many links are served concurrently, at least 1. When another link arrives, the process
    /// with the most links loses one: its oldest link without a session or, if all of its links
    /// have sessions, its oldest link. Default: a quarter of the descriptors that this process may
    /// open, but at most 256.
    package var linkCountMax = DescriptorBudget.ofProcess.linkCountMax
    /// How long a link may be without a session; `nil` for no limit, as on a serial line, which has
    /// no connections. Default: 60 s.
    package var idleLimit: Duration? = .seconds(60)
    /// How long a peer that has credit may go without sending a missing chunk, whatever else it
    /// sends. After that time the session ends with RESULT *stalled*, and the link is closed.
    /// Default: 60 s.
    package var progressLimit: Duration = .seconds(60)
    /// How long the sessions of a link may go without getting further than ever before (section 9),
    /// even if chunks arrive; at least ``progressLimit``. After that time the session and the link
    /// end as after ``progressLimit``. Default: 600 s.
    package var repetitionLimit: Duration = .seconds(600)
    /// How long a session may take to receive 4 KiB of new data while another peer waits for the
    /// store, and how long it may receive in total before the turn passes to the waiting peer.
    /// Until the session's manifest is accepted, both times are divided by the number of waiting
    /// processes. A transfer whose turn has passed to another peer resumes in its next turn. A
    /// transfer that a trusted key has signed may receive for twenty times as long, and a transfer
    /// from a peer without a process, as over Bluetooth, for four times as long. Default: 500 ms.
    package var patience: Duration = .milliseconds(500)

    /// The defaults.
    package init() {}
}
