import BLEOTA
import SystemPackage

/// Connects to a peer, reports reconnections, and adds faults and a trace to the link.
struct ToolConnector: Connector {
    private let base: any Connector
    private let peer: String
    private let reporter: Reporter
    private let faults: FaultPlan?
    private let trace: TraceFile?
    private let isFirst = FirstTime()

    init(
        _ target: TargetArgument,
        attMTU: Int,
        timeout: Duration,
        _ reporter: Reporter,
        faults: FaultPlan? = nil,
        trace: TraceFile? = nil
    ) {
        self.init(
            target.connector(attMTU: attMTU, timeout: timeout),
            to: target.path.string,
            reporter,
            faults: faults,
            trace: trace
        )
    }

    /// - Parameter peer: the name of the peer in messages.
    init(
        _ base: any Connector,
        to peer: String,
        _ reporter: Reporter,
        faults: FaultPlan? = nil,
        trace: TraceFile? = nil
    ) {
        self.base = base
        self.peer = peer
        self.reporter = reporter
        self.faults = faults
        self.trace = trace
    }

    func connect() async throws(TransferError) -> any Transport {
        let link: any Transport
        do throws(TransferError) {
            link = try await base.connect()
        } catch {
            reporter.detail("connecting    \(error.sentence)")
            throw error
        }
        if !isFirst.take() {
            reporter.event(JSONLine(event: "reconnected").adding("path", peer))
            reporter.note("connected     again to \(peer)")
        }
        return link.instrumented(faults: faults, trace: trace)
    }
}

extension Transport {
    /// Adds faults and a trace to the link. Faults come first, so the trace shows what the peer
    /// receives.
    func instrumented(faults: FaultPlan?, trace: TraceFile?) -> any Transport {
        func faulty(_ link: some Transport) -> any Transport {
            guard let faults else { return link }
            return FaultyTransport(link, plan: faults)
        }
        guard let trace else { return faulty(self) }
        return faulty(TracingTransport(self) { trace.write($0) })
    }
}
