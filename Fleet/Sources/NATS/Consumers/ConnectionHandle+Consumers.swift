import CNATS

extension ConnectionHandle {
    func addConsumer(
        _ configuration: ConsumerConfiguration,
        to stream: String
    ) throws(NATSError) {
        var settings = jsConsumerConfig()
        jsConsumerConfig_Init(&settings)
        settings.AckPolicy = js_AckExplicit
        switch configuration.start {
        case .first: settings.DeliverPolicy = js_DeliverAll
        case .lastOfEachSubject: settings.DeliverPolicy = js_DeliverLastPerSubject
        }
        settings.AckWait = configuration.acknowledgementLimit.nanoseconds
        settings.MaxDeliver = configuration.deliveriesMax.map { Int64($0) } ?? -1
        settings.MaxAckPending = Int64(configuration.pendingMax)
        var code = jsErrCode(0)
        let status = CText.with(configuration.name.text) { name in
            CText.with(configuration.filter?.text) { filter in
                settings.Durable = name
                settings.FilterSubject = filter
                return js_AddConsumer(nil, jetStream, stream, &settings, nil, &code)
            }
        }
        try NATSError.check(status, code)
    }

    func deleteConsumer(_ name: String, of stream: String) throws(NATSError) {
        var code = jsErrCode(0)
        try NATSError.check(js_DeleteConsumer(jetStream, stream, name, nil, &code), code)
    }

    /// Subscribes to whatever is sent to a subject.
    func subscribe(_ subject: String) throws(NATSError) -> CSubscription {
        try ended.free(connection)
        var pointer: OpaquePointer?
        try NATSError.check(natsConnection_SubscribeSync(&pointer, connection, subject))
        guard let pointer else { throw .failed("no subscription") }
        return CSubscription(owning: pointer, self)
    }

    /// Has the server push the messages of a stream to a subject, without acknowledgement, until
    /// nobody has subscribed to that for some seconds.
    ///
    /// - Returns: the name of the consumer, and whether there is nothing to push at present.
    func push(
        _ subject: String,
        of stream: String,
        from start: FollowStart,
        headersOnly: Bool,
        to inbox: String,
        heartbeat: Duration
    ) throws(NATSError) -> (name: String, isEmpty: Bool) {
        var settings = jsConsumerConfig()
        jsConsumerConfig_Init(&settings)
        settings.AckPolicy = js_AckNone
        settings.MaxDeliver = 1
        settings.FlowControl = true
        settings.Heartbeat = heartbeat.nanoseconds
        settings.MemoryStorage = true
        settings.Replicas = 1
        settings.HeadersOnly = headersOnly
        switch start {
        case .lastOfEachSubject: settings.DeliverPolicy = js_DeliverLastPerSubject
        case .first: settings.DeliverPolicy = js_DeliverAll
        case .sequence(let sequence):
            settings.DeliverPolicy = js_DeliverByStartSequence
            settings.OptStartSeq = sequence
        }
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        var code = jsErrCode(0)
        let status = CText.with(subject) { subject in
            CText.with(inbox) { inbox in
                settings.FilterSubject = subject
                settings.DeliverSubject = inbox
                return js_AddConsumer(&info, jetStream, stream, &settings, nil, &code)
            }
        }
        try NATSError.check(status, code)
        guard let info else { throw .failed("no information about a consumer") }
        defer { jsConsumerInfo_Destroy(info) }
        guard let name = info.pointee.Name else { throw .failed("a consumer without a name") }
        let isEmpty = info.pointee.NumPending == 0 && info.pointee.Delivered.Consumer == 0
        return (String(cString: name), isEmpty)
    }
}
