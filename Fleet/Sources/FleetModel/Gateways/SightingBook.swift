/// The devices that a gateway hears, and which of them it has to write.
///
///     unwritten ──written──▶ written ──heard changed, or 10 minutes later──▶ due ──written──▶ written
///
/// A device that nobody hears any more is not written again.
package struct SightingBook: Sendable {
    /// The shortest time between two writes of one device. A thousand devices at the edge of their
    /// range are 67 writes a second.
    package static let pause = Span.seconds(15)
    /// The time after which a device that is still heard is written again, unchanged.
    package static let interval = Span.seconds(600)
    /// The change of the strength that matters, in dB: a radio wavers by a few.
    package static let strengthStep = 6
    /// The devices that a gateway keeps in mind: four times as many as an adapter hears in a full
    /// hall. Whoever makes up addresses fills 4,096 pages of about 300 bytes, no more.
    package static let devicesMax = 4_096
    /// The silence after which a device loses its page to one that is heard.
    package static let silenceMax = Span.seconds(1_800)

    private struct Page {
        var heard: HeardDevice
        var heardAt: Uptime
        var written: (HeardDevice, at: Uptime)?
    }

    private let pause: Span
    private var pages: [DeviceID: Page] = [:]

    package init(pause: Span = Self.pause) { self.pause = pause }

    /// Takes in that a device was heard.
    ///
    /// - Returns: whether there is a page for it.
    @discardableResult
    package mutating func hear(_ device: HeardDevice, at now: Uptime) -> Bool {
        if pages[device.id] == nil, pages.count == Self.devicesMax {
            pages = pages.filter { now < $0.value.heardAt + Self.silenceMax }
            guard pages.count < Self.devicesMax else { return false }
        }
        let written = pages[device.id]?.written
        pages[device.id] = Page(heard: device, heardAt: now, written: written)
        return true
    }

    /// What has to be written now, in the order of the devices' names.
    package func due(at now: Uptime) -> [HeardDevice] {
        pages.values.filter { isDue($0, at: now) }.map(\.heard).sorted { $0.id < $1.id }
    }

    /// Takes in that a sighting was written.
    package mutating func wrote(_ device: HeardDevice, at now: Uptime) {
        pages[device.id]?.written = (device, at: now)
    }

    private func isDue(_ page: Page, at now: Uptime) -> Bool {
        guard let (written, writtenAt) = page.written else { return true }
        guard now >= writtenAt + pause else { return false }
        return page.heard.hardware != written.hardware || page.heard.group != written.group
            || page.heard.version != written.version
            || page.heard.strength.distance(to: written.strength) >= Self.strengthStep
            || page.heardAt >= writtenAt + Self.interval
    }
}
