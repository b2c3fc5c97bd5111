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
        var pointer: OpaquePointer?
        try NATSError.check(natsConnection_SubscribeSync(&pointer, connection, subject))
        guard let pointer else { throw .failed("no subscription") }
        return CSubscription(owning: pointer, self)
    }

    /// Subscribes to the messages of a stream in their order, each once, without acknowledgement.
    /// libnats begins again where it was if one is missing.
    func follow(
        _ subject: String,
        of stream: String,
        from start: FollowStart,
        headersOnly: Bool
    ) throws(NATSError) -> CSubscription {
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        options.Ordered = true
        options.Config.HeadersOnly = headersOnly
        switch start {
        case .lastOfEachSubject: options.Config.DeliverPolicy = js_DeliverLastPerSubject
        case .first: options.Config.DeliverPolicy = js_DeliverAll
        case .sequence(let sequence):
            options.Config.DeliverPolicy = js_DeliverByStartSequence
            options.Config.OptStartSeq = sequence
        }
        var pointer: OpaquePointer?
        var code = jsErrCode(0)
        let status = CText.with(stream) { stream in
            options.Stream = stream
            return js_SubscribeSync(&pointer, jetStream, subject, nil, &options, &code)
        }
        try NATSError.check(status, code)
        guard let pointer else { throw .failed("no subscription") }
        let subscription = CSubscription(owning: pointer, self)
        try NATSError.check(
            natsSubscription_SetPendingLimits(
                pointer,
                Int32(Limits.pendingMax),
                Int32(Limits.pendingByteCountMax)
            )
        )
        return subscription
    }
}

/// Where a subscription begins.
enum FollowStart {
    case lastOfEachSubject
    case first
    case sequence(UInt64)
}

extension CSubscription {
    /// Whether the server has nothing to deliver, and has delivered nothing.
    func beginsEmpty() throws(NATSError) -> Bool {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        var code = jsErrCode(0)
        try NATSError.check(natsSubscription_GetConsumerInfo(&info, pointer, nil, &code), code)
        guard let info else { throw .failed("no information") }
        defer { jsConsumerInfo_Destroy(info) }
        return info.pointee.NumPending == 0 && info.pointee.Delivered.Consumer == 0
    }
}
