import BLEOTACore
import BLEOTASimulation

/// The radio as the ends of a modelled protocol see it.
struct BaselineLink<Frame> {
    /// What an end has to be told.
    enum Report {
        case receiverGot(Frame)
        case senderGot(Frame)
        case lost
    }

    private var radio: NumberedRadio
    /// What is on its way, or lost, by its number on the radio.
    private var frames: [Int: Frame] = [:]
    private var frameCount = 0
    private let valueByteCountMax: Int
    private(set) var now = Instant(microseconds: 0)
    private(set) var dataFrameCount = 0

    init(_ settings: RadioSettings, seed: UInt64) {
        radio = NumberedRadio(settings, seed: seed)
        valueByteCountMax = BaselineSetup.valueByteCountMax(settings)
    }

    // MARK: - What ends see

    /// Whether a request is on its way, or its response.
    var isRequesting: Bool { radio.isRequesting }

    /// The sender sends bytes of the image, by a write command.
    mutating func sendData(_ frame: Frame, byteCount: Int) {
        dataFrameCount += 1
        command(frame, byteCount: byteCount)
    }

    /// The sender sends a write command.
    mutating func command(_ frame: Frame, byteCount: Int) {
        radio.command(number(frame, byteCount), byteCount: byteCount, at: now)
    }

    /// The sender sends a write request.
    mutating func request(_ frame: Frame, byteCount: Int) {
        radio.request(number(frame, byteCount), byteCount: byteCount, at: now)
    }

    /// The receiver sends a notification.
    mutating func notify(_ frame: Frame, byteCount: Int) {
        radio.notify(number(frame, byteCount), byteCount: byteCount, at: now)
    }

    private mutating func number(_ frame: Frame, _ byteCount: Int) -> Int {
        precondition(byteCount <= valueByteCountMax, "a value longer than ATT_MTU - 3")
        frameCount += 1
        frames[frameCount] = frame
        return frameCount
    }

    // MARK: - Time

    var nextMoment: Instant? { radio.nextMoment }

    mutating func wait(until moment: Instant) { now = max(now, moment) }

    mutating func advance() -> Report? {
        switch radio.advance(to: now) {
        case .peripheralGot(let number): .receiverGot(frame(number))
        case .centralGot(let number): .senderGot(frame(number))
        case .lost: .lost
        case nil: nil
        }
    }

    private mutating func frame(_ number: Int) -> Frame {
        guard let frame = frames.removeValue(forKey: number) else {
            preconditionFailure("a value that was not sent, or comes twice")
        }
        return frame
    }
}
