/// The reports that a gateway has to write: the last of each device, until it is written.
///
/// A report of progress is written at once if it is the first of its turn, and otherwise at most
/// every ``pause``, if more bytes are durable. The outcome is written at once, and is the last of
/// its turn.
package struct ReportBook: Sendable {
    /// The shortest time between two reports of progress: twelve within the silence that ends a
    /// lease. A thousand pushes at once are 200 writes a second.
    package static let pause = Span.seconds(5)

    private struct Page {
        /// The last report, whether or not it is written.
        var last: Report
        var isWritten = false
        /// When a report of this turn was written last.
        var writtenAt: Uptime?
    }

    private let pause: Span
    private var pages: [DeviceID: Page] = [:]

    package init(pause: Span = Self.pause) { self.pause = pause }

    /// Takes in a report, unless it says nothing new.
    package mutating func note(_ report: Report, of device: DeviceID) {
        guard let page = pages[device], page.last.turn == report.turn else {
            pages[device] = Page(last: report)
            return
        }
        switch (page.last.news, report.news) {
        case (.working(let known, _), .working(let stored, _)):
            guard stored > known else { return }
        case (.working, _): break
        // The turn is over.
        case (.succeeded, _), (.proved, _), (.failed, _), (.returned, _): return
        }
        pages[device]?.last = report
        pages[device]?.isWritten = false
    }

    /// What has to be written now: outcomes first.
    package func due(at now: Uptime) -> [(DeviceID, Report)] {
        let due = pages.filter { _, page in
            guard !page.isWritten else { return false }
            guard case .working = page.last.news, let writtenAt = page.writtenAt else {
                return true
            }
            return now >= writtenAt + pause
        }
        return due.map { ($0.key, $0.value.last) }.sorted {
            (Self.isProgress($0.1) ? 1 : 0, $0.0) < (Self.isProgress($1.1) ? 1 : 0, $1.0)
        }
    }

    private static func isProgress(_ report: Report) -> Bool {
        if case .working = report.news { true } else { false }
    }

    /// Takes in that a report was written.
    package mutating func wrote(_ report: Report, of device: DeviceID, at now: Uptime) {
        guard pages[device]?.last.turn == report.turn else { return }
        pages[device]?.writtenAt = now
        if pages[device]?.last == report { pages[device]?.isWritten = true }
    }

    /// Forgets the reports of a device whose order was withdrawn: nobody waits for them.
    package mutating func drop(_ device: DeviceID) { pages[device] = nil }

    /// Forgets the reports of a device that has another order now.
    package mutating func drop(_ device: DeviceID, unlessOf turn: Turn) {
        if pages[device]?.last.turn != turn { drop(device) }
    }

    /// Whether every outcome is written.
    package var isSettled: Bool {
        pages.values.allSatisfy { $0.isWritten || Self.isProgress($0.last) }
    }
}
