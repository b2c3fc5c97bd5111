import Glibc

/// How many links a listener keeps, given the number of descriptors that this process may open.
/// Each link uses one.
///
/// A quarter of the descriptors is for links, and a sixteenth for peers that have not sent a hello.
/// In addition, up to a quarter as many closed links may still be ending. The rest is for the
/// store, the application and the runtime.
///
/// With the usual 1,024 descriptors, the limits are 256 links and 64 peers without a hello. More
/// descriptors do not raise these limits. With so few sockets, each iteration of the ``SocketLoop``
/// is short. In the worst case, the links hold 256 KiB of block buffers each, 64 MiB in total. With
/// 64 descriptors, there are 16 links, 4 peers without a hello and 4 links that are ending. Of the
/// other 40 descriptors, a receiver with a store on a disk uses 14, and several more while an image
/// arrives.
struct DescriptorBudget: Sendable, Hashable {
    private static let linkCountCeiling = 256
    private static let greetingCountCeiling = 64

    /// The maximum number of links that are served concurrently.
    let linkCountMax: Int
    /// The maximum number of peers that are connected but have not sent a hello.
    let greetingCountMax: Int

    /// - Parameter descriptorCountMax: how many descriptors the process may open.
    init(descriptorCountMax: Int) {
        linkCountMax = max(1, min(descriptorCountMax / 4, Self.linkCountCeiling))
        greetingCountMax = max(1, min(descriptorCountMax / 16, Self.greetingCountCeiling))
    }

    /// The budget of this process, from its current limits.
    static var ofProcess: DescriptorBudget {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DescriptorBudget(descriptorCountMax: 1_024)
        }
        return DescriptorBudget(descriptorCountMax: Int(clamping: limit.rlim_cur))
    }
}
