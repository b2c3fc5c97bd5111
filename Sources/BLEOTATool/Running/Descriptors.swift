import Glibc

/// The limit on open files of this process.
enum Descriptors {
    /// The number of open files that a command needs: the standard streams, the runtime's queues
    /// and signals, a link, a file and a trace take about a dozen. The runtime traps if it gets no
    /// descriptor.
    static let commandCountMin = 16
    /// The number of open files that a receiver needs to serve honest peers during an attack: with
    /// 40 or fewer, peers that connect again and again leave no descriptor for a push.
    static let serviceCountMin = 64

    /// Fails if the process may open fewer than `countMin` files.
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
