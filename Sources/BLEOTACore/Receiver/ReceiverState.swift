/// The receiving half of a session.
///
///     idle ──request──▶ requesting ──OPEN──▶ lookingUp ──plan──▶ receiving(manifest)
///       └──────────────OPEN────────────────────▲ │ │                   │ whole
///                                              │ │ └──plan──┐          ▼
///                                  look again  │ │ current  │       judging
///                                              │ ▼          ▼          │ accepted
///       idle ◀──CLOSE, time── finished ◀──── verifying ◀── receiving(image)
///
/// From every state but idle an OPEN of another session leads to lookingUp, CLOSE and silence to
/// idle, and a refusal or failure to finished. The table in spec/bleota.md, section 9.2, has all
/// transitions in words, and a test compares them with what the receiver does.
///
/// What a state has of its own is in the receiver: cases with payloads cost a microcontroller three
/// times the code.
///
/// The receiver knows sessions, epochs and chunks. It does not know files, hashes, the clock, or
/// which end is the central.
package enum ReceiverState: UInt8 {
    case idle
    /// REQUEST is out; neither OPEN nor CLOSE has come.
    case requesting
    /// The store looks for what is held of the transfer.
    case lookingUp
    /// Chunks arrive.
    case receiving
    /// The manifest is whole; the store judges it.
    case judging
    /// The image is whole; the store hashes it and makes it current.
    case verifying
    /// RESULT is said, and kept for a sender that has not heard it.
    case finished
}
