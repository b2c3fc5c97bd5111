import ArgumentParser
import FleetConsole
import FleetMetrics

/// Where a process serves its metrics, if anywhere.
struct MetricsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus there, as /metrics.",
            discussion: "Whoever reaches that address can read them.",
            valueName: "HOST:PORT"
        ),
        transform: ListenAddress.argument
    )
    var metrics: ListenAddress?

    /// Works, and serves metrics meanwhile. The first of the two that ends, ends the other.
    func serving(
        _ registry: MetricsRegistry,
        isJSON: Bool,
        during work: @escaping @Sendable () async throws(ToolFailure) -> Void
    ) async throws(ToolFailure) {
        guard let metrics else { return try await work() }
        let failure = await withTaskGroup(of: ToolFailure?.self) { group in
            group.addTask {
                do throws(ToolFailure) {
                    try await work()
                    return nil
                } catch {
                    return error
                }
            }
            group.addTask {
                do throws(WebServerError) {
                    try await MetricsServer.run(registry, at: metrics) { address in
                        Self.tell(address, isJSON: isJSON)
                    }
                    return nil
                } catch {
                    return ToolFailure(error)
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let failure { throw failure }
    }

    private static func tell(_ address: ListenAddress, isJSON: Bool) {
        let place = "http://\(address)/metrics"
        Console.print(
            isJSON ? JSONObject("metrics").with("url", place).text : "metrics at \(place)"
        )
    }
}

extension ListenAddress {
    static func argument(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw ValidationError("an address is HOST:PORT, such as 127.0.0.1:8080, not '\(text)'")
        }
        return address
    }
}

extension ToolFailure {
    init(_ error: WebServerError) {
        switch error {
        case .listen(_, _, let isForbidden):
            self.init(isForbidden ? .noPermission : .unavailable, "\(error); give another address")
        case .failed: self.init(.software, error.description)
        }
    }
}
