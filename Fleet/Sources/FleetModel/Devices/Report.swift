/// What a gateway says of a device that it has. Each report replaces the one before.
package struct Report: Sendable, Hashable {
    package enum News: Sendable, Hashable {
        /// So many bytes of the image are durably stored, of so many.
        case working(storedByteCount: UInt64, byteCount: UInt64)
        /// The device runs the image, or had it already.
        case succeeded
        /// The same, with the receipt that the order asked for.
        case proved(DeviceReceipt)
        case failed(Failure)
        /// The gateway gives the device back, because it is about to end. The attempt counts as
        /// none.
        case returned

        /// Whether the gateway says that the device runs the image.
        package var isSuccess: Bool {
            switch self {
            case .succeeded, .proved: true
            case .working, .failed, .returned: false
            }
        }
    }

    package let campaign: CampaignID
    package let turn: Turn
    package let news: News

    package init(campaign: CampaignID, turn: Turn, _ news: News) {
        self.campaign = campaign
        self.turn = turn
        self.news = news
    }
}

/// Why an attempt failed.
package struct Failure: Sendable, Hashable {
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The device refused the image, or it doesn't run.
        case refused = 1
        /// The device couldn't be reached, or went away.
        case unreachable = 2
        /// The gateway failed.
        case gateway = 3
        /// The device refused the image, and will refuse it whenever it is asked
        /// (``Refusal/isFinal``).
        case rejected = 4

        /// Whether another attempt would fail as well.
        package var isFinal: Bool { self == .rejected }
    }

    /// A sentence of the library is shorter; what is longer is cut.
    package static let detailByteCountMax = 160

    package let kind: Kind
    /// The reason in words, the same for the same reason, so that failures can be grouped by it.
    package let detail: String

    /// Makes a failure. Only the beginning of a detail that is too long is kept.
    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail.prefix(byteCountMax: Self.detailByteCountMax)
    }
}

extension String {
    /// The longest beginning with whole characters that has no more bytes than that.
    func prefix(byteCountMax: Int) -> String {
        guard utf8.count > byteCountMax else { return self }
        var end = startIndex
        for index in indices where utf8.distance(from: startIndex, to: index) <= byteCountMax {
            end = index
        }
        return String(self[..<end])
    }
}
