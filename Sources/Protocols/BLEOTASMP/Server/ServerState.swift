import BLEOTA

/// The states of a server. All but `ready` wait for an answer from the store.
///
/// ```text
/// ready ──upload, offset 0──▶ beginning ──▶ appending ──last byte──▶ finishing ──▶ ready
///   │                                            └───────────────────────────────▶ ready
///   └──any other request──▶ asking ──────────────────────────────────────────────▶ ready
/// ```
enum ServerState: ~Copyable {
    case ready
    /// The store looks up the upload that a request announces.
    case beginning(SMPHeader, UploadRequest, UploadID)
    case appending(SMPHeader, byteCount: Int)
    case finishing(SMPHeader)
    /// The store performs another task; the changed list of images follows if `listsImages`.
    case asking(SMPHeader, listsImages: Bool)
    /// The store makes an image current, or forgets an upload. No reply is due.
    case settling
}

/// The data that a server keeps in every state.
struct ServerContext: Sendable {
    let identity: ServerIdentity
    let limits: BufferLimits
    let imageByteCountMax: Int
    /// The maximum length of a file, which may hold an image in two variants.
    var uploadByteCountMax: Int { min(Int(UInt32.max), 2 * imageByteCountMax + 1 << 16) }
    /// The upload that this client continues.
    var upload: UploadID?
    /// How much of the upload the store has.
    var offset = 0
    /// Requests that arrived during a task.
    var waiting: [RequestAssembler.Arrival] = []
}
