public import BLEOTACore

/// The way a sender writes the image: with response, one request at a time, or without response,
/// with as many commands as a window policy permits.
public enum WriteMode: Sendable, Hashable {
    /// Write requests.
    case withResponse
    /// Write commands.
    case withoutResponse(WindowPolicy)

    /// Commands in bursts of 12; each burst waits until the previous one is acknowledged.
    public static let burst12 = WriteMode.withoutResponse(
        .burst(chunkCount: 12, pause: .untilAcknowledged)
    )

    /// The compared modes: `auto`, three fixed windows, both kinds of bursts of 12, and write
    /// requests.
    public static let compared: [WriteMode] =
        [
            .withoutResponse(.automatic), .withoutResponse(.fixed(chunkCount: 12)),
            .withoutResponse(.fixed(chunkCount: 32)), .withoutResponse(.fixed(chunkCount: 64)),
            .burst12, .withoutResponse(.fieldRule), .withResponse,
        ]

    /// A short name, such as `fixed 32` or `12, then 100 ms`.
    public var name: String {
        switch self {
        case .withResponse: "with response"
        case .withoutResponse(.automatic): "auto"
        case .withoutResponse(.fixed(let count)): "fixed \(count)"
        case .withoutResponse(.burst(let count, .untilAcknowledged)): "\(count), then wait"
        case .withoutResponse(.burst(let count, .time(let span))):
            "\(count), then \(span.rawValue / 1_000) ms"
        }
    }
}

extension RadioTransfer {
    /// The way the image is written.
    public var writeMode: WriteMode {
        get { isWithResponse ? .withResponse : .withoutResponse(window) }
        set {
            switch newValue {
            case .withResponse:
                isWithResponse = true
                window = .automatic
            case .withoutResponse(let policy):
                isWithResponse = false
                window = policy
            }
        }
    }
}
