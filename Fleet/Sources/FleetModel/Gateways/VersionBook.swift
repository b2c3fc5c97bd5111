/// The devices that don't advertise their version, which a gateway therefore asks, one after the
/// other.
///
///     unknown ──answered──▶ known ──10 minutes later──▶ known, and to be asked again
///        ▲ └──no answer: in a minute──┘  │
///        └───────────────push────────────┘
///
/// A device is not asked during a push. After it, nothing is known of the device before it answers
/// again, because it may run the new image.
package struct VersionBook: Sendable {
    /// The time after which a device that answered is asked again: somebody else may have updated
    /// it. It is as long as the one of ``SightingBook/interval``.
    package static let interval = Span.seconds(600)
    /// The pause after a question without an answer. A device that answers nothing keeps the others
    /// waiting for half a minute each time.
    package static let pause = Span.seconds(60)
    /// A device that was heard less recently than this is not asked, because it may be gone.
    package static let silenceMax = Span.seconds(30)
    /// As many devices as a gateway has pages for.
    package static let devicesMax = SightingBook.devicesMax

    /// What a device says when it is asked.
    package enum Answer: Sendable, Hashable {
        case version(FirmwareVersion)
        /// It says none, or one of another form.
        case noVersion
        case silence
    }

    private struct Page {
        var heardAt: Uptime
        var dueAt: Uptime
        var version: FirmwareVersion?
        var isPushing = false
    }

    private var pages: [DeviceID: Page] = [:]

    package init() {}

    /// Takes in that a device was heard.
    ///
    /// - Returns: its version, if it is known.
    package mutating func hear(_ device: DeviceID, at now: Uptime) -> FirmwareVersion? {
        makeRoom(for: device, at: now)
        guard pages[device] != nil || pages.count < Self.devicesMax else { return nil }
        pages[device, default: Page(heardAt: now, dueAt: now)].heardAt = now
        return pages[device]?.version
    }

    /// Whether there is a page for a device.
    package func has(_ device: DeviceID) -> Bool { pages[device] != nil }

    /// The device to ask now: the one that has waited longest.
    package func due(at now: Uptime) -> DeviceID? {
        pages.filter { _, page in
            !page.isPushing && page.dueAt <= now && now < page.heardAt + Self.silenceMax
        }
        .min { ($0.value.dueAt, $0.key) < ($1.value.dueAt, $1.key) }?.key
    }

    package mutating func answered(_ device: DeviceID, _ answer: Answer, at now: Uptime) {
        guard var page = pages[device], !page.isPushing else { return }
        switch answer {
        case .version(let version): page.version = version
        case .noVersion: page.version = nil
        // It may only be out of range for a moment.
        case .silence: break
        }
        page.dueAt = now + (answer == .silence ? Self.pause : Self.interval)
        pages[device] = page
    }

    package mutating func beginPush(_ device: DeviceID) {
        pages[device]?.isPushing = true
        pages[device]?.version = nil
    }

    package mutating func endPush(_ device: DeviceID, at now: Uptime) {
        pages[device]?.isPushing = false
        pages[device]?.dueAt = now
    }

    private mutating func makeRoom(for device: DeviceID, at now: Uptime) {
        guard pages[device] == nil, pages.count == Self.devicesMax else { return }
        pages = pages.filter { now < $0.value.heardAt + SightingBook.silenceMax }
    }
}
