import FleetSetup
import Glibc
import NATS

import enum Crypto.Curve25519

/// A client that says to a server whatever a test wants, byte by byte, as an attacker's would.
///
/// Used by one task. It blocks its thread for as long as a test says.
final class RawClient: @unchecked Sendable {
    /// What became of a request.
    enum Answer: Equatable {
        /// The server refused it, for this reason.
        case refused(String)
        /// Somebody answered.
        case answered(String)
        /// Nobody listens to the subject.
        case nobody
        /// Nothing came.
        case silence
        /// The server has ended the connection, for this reason.
        case ended(String)
    }

    struct Failure: Error {
        let reason: String
    }

    private enum Frame {
        case message(subject: String, headers: String, payload: String)
        case error(String)
        case pong
        case end
    }

    let inbox: String
    private let socket: Int32
    private var unread: [UInt8] = []
    private var requestCount = 0

    init(port: UInt16, user: UserKey) throws {
        inbox = "\(ConnectionOptions.Credentials.inboxPrefix(of: user.key)).raw"
        socket = try Self.connect(port)
        let greeting = try line(within: 10)
        guard
            let nonce = greeting.split(separator: #""nonce":""#).dropFirst().first?
                .prefix(while: { $0 != "\"" })
        else { throw Failure(reason: greeting) }
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: user.seed.bytes)
        let signature = Self.base64(Array(try key.signature(for: Array(nonce.utf8))))
        send(
            #"CONNECT {"nkey":"\#(user.key)","sig":"\#(signature)","verbose":false,"#
                + #""headers":true,"no_responders":true,"protocol":1}"#
        )
        send("PING")
        guard case .pong = try frame(within: 10) else { throw Failure(reason: "not let in") }
    }

    deinit { close(socket) }

    // MARK: - Requests

    /// Publishes a request, and waits for what becomes of it.
    ///
    /// - Parameter answerSubject: where the answer is to go instead of here.
    func request(
        _ subject: String,
        _ payload: [UInt8],
        headers: [(String, String)] = [],
        answerSubject: String? = nil,
        within seconds: Int32 = 2
    ) throws -> Answer {
        if requestCount == 0 { send("SUB \(inbox).* 1") }
        requestCount += 1
        let own = "\(inbox).\(requestCount)"
        publish(subject, payload, headers: headers, answerSubject: answerSubject ?? own)
        send("PING")
        var answer: Answer?
        while true {
            switch try frame(within: 30) {
            case .error(let reason): answer = answer ?? .refused(reason)
            case .message(own, let headers, let payload):
                answer = answer ?? Self.answer(headers, payload)
            case .message: break
            case .end: return .ended(reason(answer))
            case .pong:
                if let answer { return answer }
                guard answerSubject == nil else { return .silence }
                return try awaitAnswer(own, within: seconds)
            }
        }
    }

    func request(
        _ subject: String,
        _ payload: String = "",
        headers: [(String, String)] = [],
        answerSubject: String? = nil
    ) throws -> Answer {
        let bytes = Array(payload.utf8)
        return try request(subject, bytes, headers: headers, answerSubject: answerSubject)
    }

    private func awaitAnswer(_ subject: String, within seconds: Int32) throws -> Answer {
        while true {
            do {
                switch try frame(within: seconds) {
                case .message(subject, let headers, let payload):
                    return Self.answer(headers, payload)
                case .error(let reason): return .refused(reason)
                case .end: return .ended("")
                case .message, .pong: break
                }
            } catch {
                return .silence
            }
        }
    }

    private static func answer(_ headers: String, _ payload: String) -> Answer {
        headers.contains("NATS/1.0 503") ? .nobody : .answered(headers + payload)
    }

    private func reason(_ answer: Answer?) -> String {
        if case .refused(let reason) = answer { reason } else { "" }
    }

    /// Subscribes, and returns why that was refused.
    func subscribe(_ subject: String) throws -> String? {
        send("SUB \(subject) 9")
        send("PING")
        var refusal: String?
        while true {
            switch try frame(within: 30) {
            case .error(let reason): refusal = reason
            case .pong: return refusal
            case .end: return "ended"
            case .message: break
            }
        }
    }

    /// Publishes, and waits for nothing.
    func publish(
        _ subject: String,
        _ payload: [UInt8],
        headers: [(String, String)] = [],
        answerSubject: String = ""
    ) {
        guard !headers.isEmpty else {
            send("PUB \(subject) \(answerSubject) \(payload.count)", payload)
            return
        }
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        let head = Array("NATS/1.0\r\n\(lines)\r\n".utf8)
        let sizes = "\(head.count) \(head.count + payload.count)"
        send("HPUB \(subject) \(answerSubject) \(sizes)", head + payload)
    }

    // MARK: - Bytes

    private static func connect(_ port: UInt16) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, size)
            }
        }
        guard result == 0 else { throw Failure(reason: "nobody listens on \(port)") }
        return socket
    }

    private func send(_ line: String, _ payload: [UInt8]? = nil) {
        let end = Array("\r\n".utf8)
        var bytes = (Array(line.utf8) + end + (payload.map { $0 + end } ?? []))[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // What a server thinks of it shows in what it sends.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    private func frame(within seconds: Int32) throws -> Frame {
        while true {
            let line: String
            do { line = try self.line(within: seconds) } catch let failure as Failure {
                guard failure.reason == "end" else { throw failure }
                return .end
            }
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "PING": send("PONG")
            case "PONG": return .pong
            case "-ERR": return .error(line)
            case "MSG":
                let payload = try bytes(Int(words.last ?? "") ?? 0)
                return .message(subject: words[1], headers: "", payload: payload)
            case "HMSG":
                let (head, all) = (Int(words[words.count - 2]) ?? 0, Int(words.last ?? "") ?? 0)
                let text = Array(try bytes(all).utf8)
                return .message(
                    subject: words[1],
                    headers: String(decoding: text.prefix(head), as: UTF8.self),
                    payload: String(decoding: text.dropFirst(head), as: UTF8.self)
                )
            default: break
            }
        }
    }

    private func line(within seconds: Int32) throws -> String {
        while true {
            if let end = unread.firstIndex(of: 10) {
                let line = String(decoding: unread[..<end].dropLast(), as: UTF8.self)
                unread.removeFirst(end + 1)
                return line
            }
            try fill(within: seconds)
        }
    }

    /// A payload, and the end of the line after it.
    private func bytes(_ count: Int) throws -> String {
        while unread.count < count + 2 { try fill(within: 30) }
        defer { unread.removeFirst(count + 2) }
        return String(decoding: unread[..<count], as: UTF8.self)
    }

    private func fill(within seconds: Int32) throws {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, seconds * 1_000) > 0 else { throw Failure(reason: "nothing") }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &buffer, buffer.count)
        guard count > 0 else { throw Failure(reason: "end") }
        unread += buffer[..<count]
    }

    /// With the alphabet for URLs, and no padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        )
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        }
        return text
    }
}
