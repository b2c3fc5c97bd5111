import BLEOTA
import SystemPackage

/// Connects to a socket, says so when it is again, and puts faults and a tracer in between.
struct ToolConnector: Connector {
    private let base: SocketConnector
    private let target: Target
    private let reporter: Reporter
    private let faults: FaultPlan?
    private let trace: TraceFile?
    private let isFirst = FirstTime()

    init(
        _ target: Target,
        attMTU: Int,
        timeout: Duration,
        _ reporter: Reporter,
        faults: FaultPlan? = nil,
        trace: TraceFile? = nil
    ) {
        base = SocketConnector(path: target.path, attMTU: attMTU, timeout: timeout)
        self.target = target
        self.reporter = reporter
        self.faults = faults
        self.trace = trace
    }

    func connect() async throws(TransferError) -> any Transport {
        let link = try await base.connect()
        if !isFirst.take() {
            reporter.event(JSONLine(event: "reconnected").adding("path", target.path.string))
            reporter.note("connected     again to \(target.path)")
        }
        return link.instrumented(faults: faults, trace: trace)
    }
}

extension Transport {
    /// Faults first, so that the trace shows what the peer gets to see.
    func instrumented(faults: FaultPlan?, trace: TraceFile?) -> any Transport {
        func faulty(_ link: some Transport) -> any Transport {
            guard let faults else { return link }
            return FaultyTransport(link, plan: faults)
        }
        guard let trace else { return faulty(self) }
        return faulty(TracingTransport(self) { trace.write($0) })
    }
}
