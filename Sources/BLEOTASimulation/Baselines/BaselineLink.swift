import BLEOTACore

/// The radio as the ends of a modelled protocol see it.
struct BaselineLink<Frame> {
    private var radio: RadioLink<Frame>
    private let valueByteCountMax: Int
    private(set) var now = Instant(microseconds: 0)
    private(set) var dataFrameCount = 0

    init(_ settings: RadioSettings) {
        radio = RadioLink(settings)
        valueByteCountMax = BaselineSetup.valueByteCountMax(settings)
    }

    // MARK: - What ends see

    /// Whether a request is on its way, or its response.
    var isRequesting: Bool { radio.isRequesting(.central) }

    /// The sender sends bytes of the image, by a write command.
    mutating func sendData(_ frame: Frame, byteCount: Int) {
        dataFrameCount += 1
        command(frame, byteCount: byteCount)
    }

    /// The sender sends a write command.
    mutating func command(_ frame: Frame, byteCount: Int) {
        send(frame, byteCount, as: .command, from: .central)
    }

    /// The sender sends a write request.
    mutating func request(_ frame: Frame, byteCount: Int) {
        send(frame, byteCount, as: .request, from: .central)
    }

    /// The receiver sends a notification.
    mutating func notify(_ frame: Frame, byteCount: Int) {
        send(frame, byteCount, as: .notification, from: .peripheral)
    }

    private mutating func send(
        _ frame: Frame,
        _ byteCount: Int,
        as operation: RadioLink<Frame>.Operation,
        from end: RadioLink<Frame>.End
    ) {
        precondition(byteCount <= valueByteCountMax, "a value longer than ATT_MTU - 3")
        radio.send(frame, byteCount: byteCount, as: operation, from: end, at: now)
    }

    // MARK: - Time

    var nextMoment: Instant? { radio.nextMoment }

    mutating func wait(until moment: Instant) { now = max(now, moment) }

    mutating func advance(_ random: inout SimulationRandom) -> RadioLink<Frame>.Report? {
        radio.advance(to: now, &random)
    }
}
