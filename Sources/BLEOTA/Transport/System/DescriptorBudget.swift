import Glibc

/// How many links a listener keeps, by the number of descriptors that this process may open. Each
/// link takes one.
///
/// A quarter of the descriptors goes to links and a sixteenth to peers that have not said hello; as
/// many links again as a quarter of the first may be closed and not gone yet. The rest is for the
/// store, the application and the runtime. With the usual 1,024 that is 256 links and 64 peers
/// without a hello, the most in any case: a turn of the ``SocketLoop`` is short with so few, and
/// links that do their worst hold 256 times 256 KiB of block buffers, 64 MiB. With 64 descriptors
/// it is 16, 4 and 4; of the other 40, a receiver with a store on a disk has 14 open, and some more
/// while an image arrives.
struct DescriptorBudget: Sendable, Hashable {
    private static let linkCountCeiling = 256
    private static let greetingCountCeiling = 64

    /// Links that are served side by side.
    let linkCountMax: Int
    /// Peers that are connected and have not said hello.
    let greetingCountMax: Int

    /// - Parameter descriptorCountMax: how many the process may have open.
    init(descriptorCountMax: Int) {
        linkCountMax = max(1, min(descriptorCountMax / 4, Self.linkCountCeiling))
        greetingCountMax = max(1, min(descriptorCountMax / 16, Self.greetingCountCeiling))
    }

    /// That of this process, by its limits as they are now.
    static var ofProcess: DescriptorBudget {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DescriptorBudget(descriptorCountMax: 1_024)
        }
        return DescriptorBudget(descriptorCountMax: Int(clamping: limit.rlim_cur))
    }
}
