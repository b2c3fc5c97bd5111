/// The receiving half of a session.
///
///     idle ──request──▶ requesting ──OPEN──▶ lookingUp ──plan──▶ receiving(manifest)
///       └──────────────OPEN────────────────────▲ │ │                   │ whole
///                                              │ │ └──plan──┐          ▼
///                                  look again  │ │ current  │       judging
///                                              │ ▼          ▼          │ accepted
///       idle ◀──CLOSE, time── finished ◀──── verifying ◀── receiving(image)
///
/// From every state but idle, CLOSE and silence lead to idle. From every state but idle and
/// requesting, an OPEN of another session leads to lookingUp. A refusal or a failure leads to
/// finished. The tables in spec/bleota.md, section 9.2, list all transitions, and a test compares
/// them with the receiver's behavior.
///
/// The data of each state is in the receiver, because cases with payloads take three times as
/// much code on a microcontroller.
///
/// The receiver deals with sessions, epochs and chunks. It does not depend on files, hashes,
/// the clock, or which end is the central.
package enum ReceiverState: UInt8 {
    case idle
    /// REQUEST has been sent, and neither OPEN nor CLOSE has arrived.
    case requesting
    /// The store is looking up the part of the transfer that it holds.
    case lookingUp
    /// Chunks are arriving.
    case receiving
    /// The manifest is complete, and the store is judging it.
    case judging
    /// The image is complete, and the store is hashing it and making it current.
    case verifying
    /// RESULT has been sent and is kept for a sender that has not received it.
    case finished
}
