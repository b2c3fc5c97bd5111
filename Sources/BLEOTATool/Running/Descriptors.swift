import Glibc

/// The descriptors that the system lets this process open.
enum Descriptors {
    /// What a command needs: the standard streams, the runtime's queues and signals, a link, a file
    /// and a trace are a dozen. The runtime traps where it gets none.
    static let commandCountMin = 16
    /// What a receiver needs to serve honest peers while others do their worst: with 40 or fewer,
    /// peers that connect without end leave nothing for a push.
    static let serviceCountMin = 64

    /// Fails where the process may open fewer.
    static func require(_ countMin: Int) throws(Failure) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(countMin)
        else { return }
        throw Failure(
            .inputOutput,
            "This process may open \(limit.rlim_cur) files and needs \(countMin); raise the "
                + "limit, with ulimit -n or LimitNOFILE=, and try again."
        )
    }
}
