package import BLEOTA
import Foundation
import Glibc
import Synchronization

/// A connection to a device of Tests/Devices. A thread of its own reads what the device sends.
package final class SocketGATTConnection: GATTConnection {
    /// The first line of a device.
    private struct Greeting: Decodable {
        let address: String
        let attMTU: Int
        let services: [String: [String: [String]]]
    }

    /// Any other line of a device.
    private struct Line: Decodable {
        let op: String
        let characteristic: String?
        let value: String?
        let error: UInt8?
    }

    private struct State {
        var answers: [Line] = []
        var notifications: [GATTNotification] = []
        var closeReason: CloseReason?
        /// How often anything has changed.
        var newsCount = 0
        /// Tasks that wait until something changes.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    package let address: String
    package let attMTU: Int
    package let characteristics: [GATTCharacteristic]
    private let descriptor: Int32
    private let state = Mutex(State())

    init(to path: String) async throws {
        let lines = try SocketLines(at: path)
        descriptor = lines.descriptor
        guard let line = lines.next() else { throw POSIXError(.ECONNRESET) }
        let greeting = try JSONDecoder().decode(Greeting.self, from: Data(line))
        address = greeting.address
        attMTU = greeting.attMTU
        characteristics = greeting.services.flatMap { service, characteristics in
            characteristics.map { uuid, properties in
                GATTCharacteristic(
                    service: service,
                    uuid: uuid,
                    properties: Self.properties(properties)
                )
            }
        }
        Thread.detachNewThread { self.readAll(lines) }
    }

    deinit { Glibc.close(descriptor) }

    private static func properties(_ names: [String]) -> GATTCharacteristic.Properties {
        let all: [String: GATTCharacteristic.Properties] = [
            "read": .read, "write": .write, "write-without-response": .command,
            "notify": .notify, "indicate": .indicate,
        ]
        return GATTCharacteristic.Properties(names.compactMap { all[$0] })
    }

    package var closeReason: CloseReason? { state.withLock { $0.closeReason } }

    package func close(_ reason: CloseReason) {
        tell { $0.closeReason = $0.closeReason ?? reason }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    package func read(_ characteristic: GATTCharacteristic) async throws(GATTError) -> [UInt8] {
        let answer = try await ask(["op": "read", "characteristic": characteristic.uuid])
        return answer.value.flatMap { Hex.bytes(of: $0) } ?? []
    }

    package func write(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError) {
        _ = try await ask(Self.message("write", value, to: characteristic))
    }

    package func command(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError) {
        precondition(value.count <= attMTU - 3, "a command must fit into the ATT_MTU")
        try send(Self.message("command", value, to: characteristic))
    }

    package func subscribe(to characteristic: GATTCharacteristic) async throws(GATTError) {
        _ = try await ask(["op": "subscribe", "characteristic": characteristic.uuid])
    }

    package func receive() async throws(GATTError) -> [GATTNotification] {
        try await waited { state in
            defer { state.notifications = [] }
            return state.notifications.isEmpty ? nil : state.notifications
        }
    }

    /// Waits until the connection has ended, or the task is cancelled.
    package func awaitEnd() async {
        while !Task.isCancelled {
            let (reason, newsCount) = state.withLock { ($0.closeReason, $0.newsCount) }
            if reason != nil { return }
            await awaitNews(after: newsCount)
        }
    }

    private static func message(
        _ operation: String,
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) -> [String: String] {
        ["op": operation, "characteristic": characteristic.uuid, "value": Hex.text(of: value)]
    }

    private func ask(_ message: [String: String]) async throws(GATTError) -> Line {
        try send(message)
        let answer = try await waited { state in
            state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        if let error = answer.error { throw .refused(attError: error) }
        return answer
    }

    private func send(_ message: [String: String]) throws(GATTError) {
        if let reason = closeReason { throw .closed(reason) }
        let fields = message.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        var rest = Array("{\(fields)}\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                close(.remote)
                throw .closed(closeReason ?? .remote)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits until `take` returns something, or the connection has ended.
    private func waited<Value>(
        for take: (inout State) -> Value?
    ) async throws(GATTError) -> Value {
        while true {
            if Task.isCancelled { throw .cancelled }
            let (value, reason, newsCount) = state.withLock { state in
                (take(&state), state.closeReason, state.newsCount)
            }
            if let value { return value }
            if let reason { throw .closed(reason) }
            await awaitNews(after: newsCount)
        }
    }

    private func awaitNews(after seenCount: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.newsCount == seenCount else { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            tell { _ in }
        }
    }

    /// Changes the state and wakes all that wait.
    private func tell(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            state.newsCount += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func readAll(_ lines: SocketLines) {
        while let bytes = lines.next() {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(bytes)) else { break }
            tell { state in
                if line.op == "notify" {
                    state.notifications.append(
                        GATTNotification(
                            characteristic: line.characteristic ?? "",
                            value: line.value.flatMap { Hex.bytes(of: $0) } ?? []
                        )
                    )
                } else {
                    state.answers.append(line)
                }
            }
        }
        close(.remote)
    }
}
