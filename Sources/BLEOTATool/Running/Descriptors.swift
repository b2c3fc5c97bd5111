import Glibc

/// The file descriptors that the system lets this process open.
enum Descriptors {
    /// The descriptors that a command needs, about a dozen: the standard streams, the runtime's
    /// queues and signals, a link, a file and a trace. The runtime traps if it can't get one.
    static let commandCountMin = 16
    /// The descriptors that a receiver needs to serve honest peers despite hostile ones: with 40 or
    /// fewer, peers that keep connecting leave none for a push.
    static let serviceCountMin = 64

    /// Fails if the process may open fewer.
    static func require(_ countMin: Int) throws(Failure) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(countMin)
        else { return }
        throw Failure(
            .inputOutput,
            "This process may open only \(limit.rlim_cur) files, but needs \(countMin); raise the "
                + "limit with ulimit -n or LimitNOFILE=, then try again."
        )
    }
}
