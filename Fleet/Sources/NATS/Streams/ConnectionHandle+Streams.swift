import CNATS
import Glibc

extension ConnectionHandle {
    /// Makes a stream. If there is one with the same configuration, this succeeds as well.
    func addStream(_ plan: StreamPlan) throws(NATSError) {
        try configure(plan) { js_AddStream(nil, jetStream, $0, nil, $1) }
    }

    func updateStream(_ plan: StreamPlan) throws(NATSError) {
        try configure(plan) { js_UpdateStream(nil, jetStream, $0, nil, $1) }
    }

    private func configure(
        _ plan: StreamPlan,
        _ body: (UnsafeMutablePointer<jsStreamConfig>, UnsafeMutablePointer<jsErrCode>) ->
            natsStatus
    ) throws(NATSError) {
        let name = strdup(plan.name)
        let texts = plan.subjects.map { strdup($0) }
        defer { for text in texts + [name] { free(text) } }
        var subjects = texts.map { UnsafePointer<CChar>($0) }
        var settings = jsStreamConfig()
        jsStreamConfig_Init(&settings)
        settings.Name = UnsafePointer(name)
        settings.Retention = plan.isWorkQueue ? js_WorkQueuePolicy : js_LimitsPolicy
        settings.Replicas = Int64(plan.replicaCount.rawValue)
        settings.MaxMsgs = plan.messagesMax ?? -1
        settings.MaxMsgsPerSubject = plan.messagesPerSubjectMax ?? -1
        settings.MaxBytes = plan.byteCountMax ?? -1
        settings.MaxAge = plan.ageMax?.nanoseconds ?? 0
        settings.Duplicates = plan.deduplicationWindow.nanoseconds
        settings.SubjectsLen = Int32(subjects.count)
        if plan.isBucket {
            // What makes a stream a bucket to every other client as well.
            settings.AllowRollup = true
            settings.DenyDelete = true
            settings.AllowDirect = true
            settings.Discard = js_DiscardNew
        }
        var code = jsErrCode(0)
        let status = subjects.withUnsafeMutableBufferPointer {
            settings.Subjects = $0.baseAddress
            return body(&settings, &code)
        }
        try NATSError.check(status, code)
    }

    func streamState(_ name: String) throws(NATSError) -> StreamState {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        try NATSError.check(js_GetStreamInfo(&info, jetStream, name, nil, &code), code)
        guard let info else { throw .failed("no information") }
        defer { jsStreamInfo_Destroy(info) }
        let state = info.pointee.State
        return StreamState(
            messageCount: state.Msgs,
            byteCount: state.Bytes,
            firstSequence: state.FirstSeq,
            lastSequence: state.LastSeq,
            consumerCount: state.Consumers
        )
    }

    func deleteStream(_ name: String) throws(NATSError) {
        var code = jsErrCode(0)
        try NATSError.check(js_DeleteStream(jetStream, name, nil, &code), code)
    }

    /// The last message of a subject, from the stream's leader, so that it isn't older than what
    /// another client was told.
    func lastMessage(of subject: String, in stream: String) throws(NATSError) -> CMessage {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status = js_GetLastMsg(&message, jetStream, stream, subject, nil, &code)
        try NATSError.check(status, code)
        guard let message else { throw .failed("no message") }
        return CMessage(owning: message)
    }
}
