import BLEOTA

/// Wraps every link of another connector in a tracer and in faults.
struct InstrumentedConnector: Connector {
    let base: any Connector
    let plan: FaultPlan
    let trace: TraceFile?

    func connect() async throws(TransferError) -> any Transport {
        instrumented(try await base.connect(), plan: plan, trace: trace)
    }
}

/// Faults first, so that the trace shows what the peer gets to see.
func instrumented(
    _ link: any Transport, plan: FaultPlan, trace: TraceFile?
) -> any Transport {
    func wrap(_ link: some Transport) -> any Transport {
        FaultyTransport(TracingTransport(link) { trace?.write($0) }, plan: plan)
    }
    return wrap(link)
}
