import CDBus
import Dispatch

/// The work of a connection on its thread: calls and their replies, match rules, objects, and
/// reconnection after the bus has gone away.
///
/// Everything here runs on the loop's thread.
final class BusWorker: @unchecked Sendable {
    /// The largest number of pending calls; from 128 on, a bus replies with LimitsExceeded.
    static let callCountMax = 96
    /// The largest number of abandoned calls that count as pending. It is smaller than
    /// ``callCountMax``, so a service that never replies cannot block the calls to all others.
    static let abandonedCountMax = 64
    /// The number of unsent bytes at which signals wait.
    private static let outgoingByteCountMax = 1 << 18
    /// The number of unsent bytes at which calls without reply are dropped: the bus is stuck.
    private static let postedByteCountMax = 1 << 24
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    /// A message that is waiting to be sent.
    private struct Request {
        let message: OpaquePointer
        let call: PendingCall
        var timer: UInt64?
    }

    /// A call that is waiting for its reply.
    private struct Sent {
        let call: PendingCall
        let timer: UInt64?
    }

    private let loop: BusLoop
    private let address: BusAddress
    private var socket: BusSocket?
    private var isOpening = false
    /// The caller that opens this connection and waits for the first outcome.
    private var greeting: PendingCall?
    /// The serial number of the call that requests a unique name.
    private var helloSerial: UInt32?
    private var uniqueName: String?
    private var pause = BusWorker.firstPause
    private var pending: [UInt32: Sent] = [:]
    /// Calls that exceed the limit of pending calls, oldest first.
    private var queue: [Request] = []
    /// Signals that are waiting for the bus, and their callers.
    private var signals: [Request] = []
    private var isSweepDue = false
    private var matches: [MatchRule] = []
    private var objects: [ObjectPath: any BusObject] = [:]
    private var handlers = BusHandlers()
    private var isClosed = false
    /// `nil` until the first attempt has finished.
    private var state: BusState?

    init(_ address: BusAddress, on loop: BusLoop) {
        self.address = address
        self.loop = loop
        loop.dispatch = { [weak self] in self?.dispatch() ?? false }
    }

    // MARK: - Connecting

    /// Connects for the first time, and reports success or failure to `greeting`.
    func greet(_ greeting: PendingCall) {
        self.greeting = greeting
        connect()
    }

    private func connect() {
        guard !isClosed, socket == nil, !isOpening else { return }
        isOpening = true
        // A stuck bus may never accept the connection, and this thread must not block.
        DispatchQueue(label: "bleota.bus.opening").async { [loop, address] in
            let opened = Result { () throws(BusError) in try BusSocket(address, on: loop) }
            loop.post { self.opened(opened) }
        }
    }

    private func opened(_ opened: Result<BusSocket, BusError>) {
        isOpening = false
        guard !isClosed else { return }
        switch opened {
        case .failure(.disconnected(let reason)): lost(reason)
        case .failure(let error): lost("\(error)")
        case .success(let socket):
            self.socket = socket
            socket.start { [unowned self] in take($0) }
            let hello = try? MessageWriter.call(.toBus("Hello"), expectsReply: true)
            helloSerial = hello.flatMap(socket.send)
        }
    }

    private func greeted(_ outcome: PendingCall.Outcome) {
        guard let socket, case .success(let body) = outcome, let name = body.first?.text else {
            drop("the bus rejected the connection")
            return
        }
        socket.setUniqueName(name)
        uniqueName = name
        pause = Self.firstPause
        for rule in matches { request(rule, "AddMatch") }
        set(.connected(uniqueName: name))
        greeting.take()?.end(.success([]))
    }

    private func set(_ state: BusState) {
        guard state != self.state else { return }
        self.state = state
        handlers.call(with: state)
    }

    /// Closes the connection, and reconnects after a pause.
    private func drop(_ reason: String) {
        socket?.close()
        socket = nil
        helloSerial = nil
        uniqueName = nil
        endAll(reason)
        lost(reason)
    }

    private func endAll(_ reason: String) {
        let calls = pending.values.map(\.call) + (queue + signals).map(\.call)
        for timer in pending.values.compactMap(\.timer) { loop.cancelTimer(timer) }
        for request in queue + signals { discard(request) }
        pending = [:]
        queue = []
        signals = []
        for call in calls { call.end(.failure(.disconnected(reason))) }
    }

    private func lost(_ reason: String) {
        set(.disconnected(reason))
        greeting.take()?.end(.failure(.disconnected(reason)))
        guard !isClosed else { return }
        loop.after(pause) { self.connect() }
        pause = min(pause * 2, Self.longestPause)
    }

    /// Fails pending operations, and closes once all messages are sent, after 5 s at the latest.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        endAll(Self.closed)
        finishClosing(afterTries: 500)
    }

    private func finishClosing(afterTries tries: Int) {
        if tries > 0, let socket, socket.hasMessagesToSend {
            loop.after(.milliseconds(10)) { self.finishClosing(afterTries: tries - 1) }
            return
        }
        drop(Self.closed)
        objects = [:]
        handlers = BusHandlers()
        loop.stop()
    }

    // MARK: - Calls

    func begin(_ call: MethodCall, _ pending: PendingCall, within limit: Duration?) {
        guard
            let message = make(
                for: pending,
                { () throws(BusError) in
                    try MessageWriter.call(call, expectsReply: true)
                }
            )
        else { return }
        let timer = limit.map { limit in
            loop.after(limit) {
                pending.end(.failure(.deadline))
                self.sweepSoon()
            }
        }
        queue.append(Request(message: message, call: pending, timer: timer))
        sendQueued()
    }

    /// Returns a message for a caller; `nil` if the wait is over, or if there is no bus.
    private func make(
        for pending: PendingCall,
        _ write: () throws(BusError) -> OpaquePointer
    ) -> OpaquePointer? {
        guard !pending.isOver else { return nil }
        guard uniqueName != nil, !isClosed else {
            pending.end(.failure(.disconnected(reason)))
            return nil
        }
        do {
            return try write()
        } catch {
            pending.end(.failure(error))
            return nil
        }
    }

    func post(_ call: MethodCall) {
        guard let socket, uniqueName != nil, !isClosed,
            socket.outgoingByteCount < Self.postedByteCountMax,
            let message = try? MessageWriter.call(call, expectsReply: false)
        else { return }
        _ = socket.send(message)
    }

    private var reason: String {
        if isClosed { return Self.closed }
        return if case .disconnected(let reason) = state { reason } else { "not authenticated yet" }
    }

    private func sendQueued() {
        guard let socket, uniqueName != nil else { return }
        while !queue.isEmpty, pending.count < Self.callCountMax {
            let request = queue.removeFirst()
            if request.call.isOver {
                discard(request)
            } else if let serial = socket.send(request.message) {
                pending[serial] = Sent(call: request.call, timer: request.timer)
            } else {
                refuse(request)
            }
        }
    }

    private func refuse(_ request: Request) {
        if let timer = request.timer { loop.cancelTimer(timer) }
        let name = "org.freedesktop.DBus.Error.NotSupported"
        let error = BusError.answered(name: name, message: Self.noDescriptors)
        request.call.end(.failure(error))
    }

    private func discard(_ request: Request) {
        if let timer = request.timer { loop.cancelTimer(timer) }
        dbus_message_unref(request.message)
    }

    /// Requests the removal of abandoned calls before the next wait.
    func sweepSoon() { isSweepDue = true }

    private func sweep() {
        isSweepDue = false
        let isLive = { (request: Request) in
            guard request.call.isOver else { return true }
            self.discard(request)
            return false
        }
        queue = queue.filter(isLive)
        signals = signals.filter(isLive)
        // The bus counts a call until its reply, so abandoned calls are kept for a while.
        let abandoned = pending.filter { $0.value.call.isOver }
        for timer in abandoned.values.compactMap(\.timer) { loop.cancelTimer(timer) }
        for serial in abandoned.keys.sorted().dropLast(Self.abandonedCountMax) {
            pending.removeValue(forKey: serial)
        }
        sendQueued()
    }

    // MARK: - Outgoing signals

    func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue],
        _ pending: PendingCall
    ) {
        guard
            let message = make(
                for: pending,
                { () throws(BusError) in
                    try MessageWriter.signal(path, interface, member, body)
                }
            )
        else { return }
        signals.append(Request(message: message, call: pending))
        sendSignals()
    }

    private func sendSignals() {
        guard let socket else { return }
        while let next = signals.first, socket.outgoingByteCount < Self.outgoingByteCountMax {
            signals.removeFirst()
            if next.call.isOver {
                discard(next)
            } else if socket.send(next.message) == nil {
                refuse(next)
            } else {
                next.call.end(.success([]))
            }
        }
    }

    // MARK: - Matches, handlers, objects

    func add(_ rule: MatchRule) {
        guard !matches.contains(rule) else { return }
        matches.append(rule)
        if uniqueName != nil { request(rule, "AddMatch") }
    }

    private func request(_ rule: MatchRule, _ member: String) {
        post(.toBus(member, [.string(rule.text)]))
    }

    func onSignal(_ handler: @escaping @Sendable (BusMessage) -> Void) -> UInt64 {
        handlers.add(handler)
    }

    func onState(_ handler: @escaping @Sendable (BusState) -> Void) -> UInt64 {
        defer { if let state { handler(state) } }
        return handlers.add(handler)
    }

    func removeHandler(_ id: UInt64) { handlers.remove(id) }

    func export(_ object: any BusObject, at path: ObjectPath) {
        precondition(objects[path] == nil, "there is already an object at \(path)")
        objects[path] = object
    }

    func remove(at path: ObjectPath) { objects.removeValue(forKey: path) }

    // MARK: - Incoming messages

    private func dispatch() -> Bool {
        if isSweepDue { sweep() }
        sendSignals()
        // A message may have closed the connection.
        guard let socket else { return false }
        for _ in 0..<128 {
            guard socket.dispatchOne() else { return isSweepDue }
        }
        return true
    }

    private func take(_ raw: OpaquePointer) {
        let message = MessageReader.read(raw)
        switch message.kind {
        case .methodCall: called(message)
        case .methodReturn: answered(message, .success(message.body))
        case .error:
            let text = message.body.first?.text ?? ""
            answered(
                message,
                .failure(.answered(name: message.errorName ?? "", message: text))
            )
        case .signal:
            if message.interface == "org.freedesktop.DBus.Local", message.member == "Disconnected" {
                drop("the bus closed the connection")
            } else {
                handlers.call(with: message)
            }
        }
    }

    private func answered(_ message: BusMessage, _ outcome: PendingCall.Outcome) {
        if message.replySerial == helloSerial {
            helloSerial = nil
            greeted(outcome)
        }
        if let sent = pending.removeValue(forKey: message.replySerial) {
            if let timer = sent.timer { loop.cancelTimer(timer) }
            sent.call.end(outcome)
        }
        sendQueued()
    }

    private func called(_ message: BusMessage) {
        // libdbus itself replies to pings.
        guard let path = message.path, let object = objects[path] else {
            let error = IncomingCall.Answer.error(
                name: "org.freedesktop.DBus.Error.UnknownObject",
                text: "there is no object at \(message.path?.text ?? "no path")"
            )
            if let socket { answer(message, error, on: socket) }
            return
        }
        // A later bus may have assigned the caller's name to another program.
        let call = IncomingCall(message) { [loop, weak socket] answer in
            loop.post { [weak socket] in
                guard let socket, socket === self.socket else { return }
                self.answer(message, answer, on: socket)
            }
        }
        object.take(call)
    }

    private func answer(_ call: BusMessage, _ answer: IncomingCall.Answer, on socket: BusSocket) {
        guard call.expectsReply, call.sender != nil else { return }
        guard socket.send(MessageWriter.answer(answer, to: call)) == nil else { return }
        let name = "org.freedesktop.DBus.Error.NotSupported"
        let error = IncomingCall.Answer.error(name: name, text: Self.noDescriptors)
        _ = socket.send(MessageWriter.answer(error, to: call))
    }

    private static let closed = "closed by this side"
    private static let noDescriptors = "this bus does not pass file descriptors"
}
