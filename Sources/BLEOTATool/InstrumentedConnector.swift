import BLEOTA

/// Wraps every link of another connector in a tracer and in faults.
struct InstrumentedConnector<Base: Connector>: Connector {
    let base: Base
    let plan: FaultPlan
    let trace: TraceFile?

    func connect() async throws(TransferError) -> FaultyTransport<TracingTransport<Base.Link>> {
        instrumented(try await base.connect(), plan: plan, trace: trace)
    }
}

/// Faults first, so that the trace shows what the peer gets to see.
func instrumented<Link: Transport>(
    _ link: Link, plan: FaultPlan, trace: TraceFile?
) -> FaultyTransport<TracingTransport<Link>> {
    FaultyTransport(TracingTransport(link) { trace?.write($0) }, plan: plan)
}
