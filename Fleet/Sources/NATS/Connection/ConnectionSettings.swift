import CNATS
import Glibc

/// The options of libnats.
struct ConnectionSettings: ~Copyable {
    let pointer: OpaquePointer

    /// - Parameter id: the number under which ``ConnectionCallbacks`` finds the connection's
    ///   events.
    static func make(
        _ options: ConnectionOptions,
        eventsAt id: UInt
    ) throws(NATSError) -> ConnectionSettings {
        guard (1...Limits.serversMax).contains(options.servers.count) else {
            throw .wrongArgument("1 to \(Limits.serversMax) servers")
        }
        var created: OpaquePointer?
        try NATSError.check(natsOptions_Create(&created))
        guard let created else { throw .failed("no options") }
        let settings = ConnectionSettings(pointer: created)
        try settings.setServers(options)
        try settings.setTimes(options)
        try settings.setTLS(options.tls)
        try settings.setCredentials(options.credentials, id)
        try settings.setCallbacks(UnsafeMutableRawPointer(bitPattern: id))
        return settings
    }

    private init(pointer: OpaquePointer) { self.pointer = pointer }

    deinit { natsOptions_Destroy(pointer) }

    private func setServers(_ options: ConnectionOptions) throws(NATSError) {
        let texts = options.servers.map { strdup($0.description) }
        defer { for text in texts { free(text) } }
        var servers = texts.map { UnsafePointer<CChar>($0) }
        try NATSError.check(natsOptions_SetServers(pointer, &servers, Int32(servers.count)))
        // A server tells of others before it has shown its certificate. libnats would try one of
        // them after a server whose certificate was refused, and compare the name that was told.
        try NATSError.check(natsOptions_SetIgnoreDiscoveredServers(pointer, true))
        if let name = options.name {
            try NATSError.check(natsOptions_SetName(pointer, name.text))
        }
    }

    private func setTimes(_ options: ConnectionOptions) throws(NATSError) {
        let connect = options.connectLimit.limitedMilliseconds
        try NATSError.check(natsOptions_SetTimeout(pointer, connect))
        try NATSError.check(natsOptions_SetMaxReconnect(pointer, -1))
        let pause = options.reconnectPause.limitedMilliseconds
        try NATSError.check(natsOptions_SetReconnectWait(pointer, pause))
        try NATSError.check(natsOptions_SetReconnectJitter(pointer, pause, pause))
        // Whoever waits for an answer that will never come is told at once. And nothing is kept to
        // be sent after a reconnection: a caller who was told that a write failed must not see it
        // done ten minutes later. One byte is the least that libnats accepts.
        try NATSError.check(natsOptions_SetFailRequestsOnDisconnect(pointer, true))
        try NATSError.check(natsOptions_SetReconnectBufSize(pointer, 1))
        // A server that is gone without a word is noticed after 10 to 15 s. The death of a leader
        // costs 6 to 9 s.
        try NATSError.check(natsOptions_SetPingInterval(pointer, 5_000))
        try NATSError.check(natsOptions_SetMaxPingsOut(pointer, 2))
        // An operation waits for its answer, so there is nothing with which to send it together.
        try NATSError.check(natsOptions_SetSendAsap(pointer, true))
    }

    private func setTLS(_ files: ConnectionOptions.TLSFiles?) throws(NATSError) {
        guard let files else { return }
        try NATSError.check(natsOptions_SetSecure(pointer, true))
        try Self.read(
            files.authorities,
            status: natsOptions_LoadCATrustedCertificates(pointer, files.authorities)
        )
        guard let own = files.own else { return }
        try Self.read(
            own.chain,
            own.key,
            status: natsOptions_LoadCertificatesChain(pointer, own.chain, own.key)
        )
    }

    /// Reads files by a function of libnats, which doesn't say whether they are there.
    private static func read(
        _ files: String...,
        status: @autoclosure () -> natsStatus
    ) throws(NATSError) {
        for file in files where access(file, R_OK) != 0 { throw .unreadableFile(file, errno) }
        let status = status()
        let kinds = files.compactMap { KeyKind(inFile: $0) }
        let areUnlike = files.count == 2 && kinds.count == 2 && kinds[0] != kinds[1]
        guard status != NATS_OK || areUnlike else { return }
        // OpenSSL compares a key with the certificate that it has just read.
        if areUnlike || files.count == 2 && NATSError.text(of: status).hasSuffix("mismatch") {
            throw .wrongArgument(
                "the key in \(files[1]) is not that of the certificate in \(files[0])"
            )
        }
        throw .wrongArgument(
            files.count == 1
                ? "\(files[0]) has no certificate in PEM, which that of the authority must be"
                : "no certificate and key in PEM can be read from "
                    + files.joined(separator: " and ")
        )
    }

    private func setCredentials(
        _ credentials: ConnectionOptions.Credentials,
        _ id: UInt
    ) throws(NATSError) {
        try NATSError.check(
            natsOptions_SetCustomInboxPrefix(pointer, credentials.inboxPrefix)
        )
        guard case .nkey(let key, let seedFile) = credentials else { return }
        // Otherwise the first handshake would fail, and libnats would blame the server.
        guard access(seedFile, R_OK) == 0 else {
            throw .noSeed(SeedProblem(seedFile, .system(errno)), isFinal: true)
        }
        ConnectionCallbacks.setSeedFile(seedFile, for: id)
        let closure = UnsafeMutableRawPointer(bitPattern: id)
        try NATSError.check(natsOptions_SetNKey(pointer, key.text, Signing.handler, closure))
    }

    private func setCallbacks(_ id: UnsafeMutableRawPointer?) throws(NATSError) {
        try NATSError.check(
            natsOptions_SetDisconnectedCB(pointer, ConnectionCallbacks.disconnected, id)
        )
        try NATSError.check(
            natsOptions_SetReconnectedCB(pointer, ConnectionCallbacks.reconnected, id)
        )
        try NATSError.check(natsOptions_SetClosedCB(pointer, ConnectionCallbacks.closed, id))
        try NATSError.check(natsOptions_SetErrorHandler(pointer, ConnectionCallbacks.failed, id))
    }
}
