/// The limits of a connection, each with its reason.
package enum Limits {
    /// The largest payload of a message or value, in bytes.
    ///
    /// A server's own limit is 1 MiB unless configured otherwise, and counts headers as well, for
    /// which 4 KiB remain.
    package static let payloadByteCountMax = 1_048_576 - 4_096

    /// The threads that wait for answers, of one connection.
    ///
    /// An answer takes about 1.5 ms from a server that syncs, so one thread makes about 670
    /// operations a second, and 8 threads about 5,000: more than the 4,100 that one such server
    /// was measured to do. They are started when they are first needed. A thread reserves 8 MiB
    /// of addresses, and uses about 32 KiB of memory.
    package static let threadCount = 8

    /// The operations that wait for one of these threads. With ``threadCount`` threads and 1.5 ms
    /// each, the last waits for 0.2 s; if there are more, the caller should slow down.
    package static let waitingMax = 1_024

    /// The watches and pull consumers of one connection, each of which has a thread of its own,
    /// because it waits for seconds. With ``threadCount``, that is 40 threads at most, beside
    /// libnats's own: two for each connection, and two for the process.
    package static let ownThreadsMax = 32

    /// The messages that wait in this process until a watch is read.
    ///
    /// If there are more, or ``pendingByteCountMax``, the rest is dropped and asked for again.
    package static let pendingMax = 65_536

    /// The bytes that wait in this process until a watch is read.
    package static let pendingByteCountMax = 64 << 20

    /// The keys that one listing returns: 100,000 keys of 180 bytes are 18 MB.
    package static let keysMax = 100_000

    /// The messages that one fetch returns. A full batch of the largest messages is 64 MiB.
    package static let fetchMax = 64

    /// The servers to which one connection can be told to connect.
    package static let serversMax = 16

    /// The longest wait of one operation. A longer one would hold a thread too long.
    package static let longestWait = Duration.seconds(60)
}
