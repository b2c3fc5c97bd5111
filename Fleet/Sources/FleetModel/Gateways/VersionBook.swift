/// The devices that don't advertise their version, which a gateway therefore asks, one after the
/// other.
///
///     unknown ──answered──▶ known ──10 minutes later──▶ known, and to be asked again
///        ▲ └──no answer: in a minute──┘  │
///        └───────────────push────────────┘
///
/// A device is not asked during a push. After it, nothing is known of the device before it answers
/// again, because it may run the new image.
///
/// A device that advertises its version is not asked. After a push it is, until it advertises another
/// version than before: the Bluetooth daemon keeps what it heard last.
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
        /// What it advertised last, and whether that may be from before a push.
        var advertised: FirmwareVersion?
        var isDoubted = false

        var isAsked: Bool { !isPushing && (advertised == nil || isDoubted) }
    }

    private var pages: [DeviceID: Page] = [:]

    package init() {}

    /// Takes in that a device was heard.
    ///
    /// - Parameter advertised: the version that it advertises, if it does.
    /// - Returns: its version, if it is known.
    package mutating func hear(
        _ device: DeviceID,
        advertising advertised: FirmwareVersion? = nil,
        at now: Uptime
    ) -> FirmwareVersion? {
        makeRoom(for: device, at: now)
        guard pages[device] != nil || pages.count < Self.devicesMax else { return nil }
        var page = pages[device] ?? Page(heardAt: now, dueAt: now)
        page.heardAt = now
        if let advertised, !page.isPushing, !page.isDoubted || advertised != page.advertised {
            page.version = advertised
            page.advertised = advertised
            page.isDoubted = false
        }
        pages[device] = page
        return page.version
    }

    /// Whether there is a page for a device.
    package func has(_ device: DeviceID) -> Bool { pages[device] != nil }

    /// The device to ask now: the one that has waited longest.
    package func due(at now: Uptime) -> DeviceID? {
        pages.filter { _, page in
            page.isAsked && page.dueAt <= now && now < page.heardAt + Self.silenceMax
        }
        .min { ($0.value.dueAt, $0.key) < ($1.value.dueAt, $1.key) }?.key
    }

    package mutating func answered(_ device: DeviceID, _ answer: Answer, at now: Uptime) {
        guard var page = pages[device], page.isAsked else { return }
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
        guard var page = pages[device] else { return }
        page.isPushing = true
        page.isDoubted = page.advertised != nil
        page.version = nil
        pages[device] = page
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
