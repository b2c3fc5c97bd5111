/// How a datagram is handed to the peer's stack, and what the return of `send` then means.
public enum Delivery: UInt8, Sendable, Hashable, CaseIterable {
    /// ATT Write Command or notification: may be dropped or overtaken; `send` returns at once
    /// unless the transmit window is full.
    case withoutResponse = 0
    /// ATT Write Request or indication: `send` returns when the peer's stack has answered.
    case withResponse = 1
}
