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
        settings.MaxMsgSize = plan.messageByteCountMax ?? -1
        settings.Discard = plan.refusesWhenFull ? js_DiscardNew : js_DiscardOld
        // A message with the header for a roll-up deletes all others of a stream, also those under
        // keys that its sender may not write. So buckets don't allow it, though those of other
        // clients do.
        settings.AllowRollup = false
        settings.DenyDelete = plan.isAppendOnly
        settings.DenyPurge = plan.isAppendOnly
        settings.AllowDirect = plan.isBucket
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
            consumerCount: state.Consumers,
            keepers: info.pointee.Cluster.map { Self.keepers($0.pointee) } ?? []
        )
    }

    /// A leader that the others have left takes some seconds to step down, in which it knows that
    /// they are not current.
    private static func keepers(_ cluster: jsClusterInfo) -> [StreamKeeper] {
        var keepers: [StreamKeeper] = []
        if let leader = cluster.Leader, leader.pointee != 0 {
            keepers.append(StreamKeeper(name: String(cString: leader), state: .leads))
        }
        // A stream that one server keeps has no other replicas.
        guard let replicas = cluster.Replicas else { return keepers }
        for index in 0..<Int(cluster.ReplicasLen) {
            guard let peer = replicas[index]?.pointee, let name = peer.Name else { continue }
            keepers.append(StreamKeeper(name: String(cString: name), state: state(of: peer)))
        }
        return keepers
    }

    /// A server that was killed is not called offline for more than two minutes. A leader hears of
    /// the others every second; 0 means that it never has.
    private static func state(of peer: jsPeerInfo) -> StreamKeeper.State {
        if peer.Current { return .follows }
        let silence = Duration.nanoseconds(peer.Active)
        let isSilent = peer.Offline || silence == .zero || silence > StreamKeeper.silenceMax
        return isSilent ? .silent : .behind(stepCount: peer.Lag)
    }

    func deleteStream(_ name: String) throws(NATSError) {
        var code = jsErrCode(0)
        try NATSError.check(js_DeleteStream(jetStream, name, nil, &code), code)
    }

    func message(at sequence: UInt64, in stream: String) throws(NATSError) -> CMessage {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        try NATSError.check(
            js_GetMsg(&message, jetStream, stream, sequence, nil, &code),
            code
        )
        guard let message else { throw .failed("no message") }
        return CMessage(owning: message)
    }

    func lastMessage(
        of subject: String,
        in stream: String,
        from reading: Bucket.Reading
    ) throws(NATSError) -> CMessage {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status =
            switch reading {
            case .leader: js_GetLastMsg(&message, jetStream, stream, subject, nil, &code)
            case .anyServer: readAnywhere(&message, subject, stream)
            }
        try NATSError.check(status, code)
        guard let message else { throw .failed("no message") }
        return CMessage(owning: message)
    }

    private func readAnywhere(
        _ message: inout OpaquePointer?,
        _ subject: String,
        _ stream: String
    ) -> natsStatus {
        var options = jsDirectGetMsgOptions()
        jsDirectGetMsgOptions_Init(&options)
        return subject.withCString { subject in
            options.LastBySubject = subject
            return js_DirectGetMsg(&message, jetStream, stream, nil, &options)
        }
    }
}
