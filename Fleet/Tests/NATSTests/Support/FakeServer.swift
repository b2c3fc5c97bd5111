import Glibc
import NATS
import Synchronization

/// Says that it is some version, accepts everybody, and knows nothing.
///
/// Connections are served one after another, on a thread, each until the client closes it.
final class FakeServer: Sendable {
    let address: ServerAddress
    /// What clients have said of themselves.
    private let greetings = Received()

    /// - Parameters:
    ///   - answer: the payload with which every request is answered; `nil` to say that nobody
    ///     answers.
    ///   - nonces: what the client of each connection is to sign; an empty text for nothing.
    ///   - welcome: the line that answers a client's greeting; `nil` to hang up then.
    ///   - greets: whether it says anything first. If it doesn't and has no `welcome` either, it
    ///     hangs up at once.
    init(
        version: String,
        answer: String?,
        nonces: [String] = [""],
        welcome: String? = "PONG",
        greets: Bool = true
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                guard bind(listener, place, length) == 0, listen(listener, 4) == 0 else { return }
                getsockname(listener, place, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        address = ServerAddress("127.0.0.1:\(port)")!
        startThread { [greetings] in
            for nonce in nonces {
                let client = accept(listener, nil, nil)
                Self.serve(client, greets ? version : nil, answer, nonce, welcome, greetings)
                Glibc.close(client)
            }
            Glibc.close(listener)
        }
    }

    /// The lines with which clients have greeted, in their order.
    var connectLines: [String] { greetings.lines.withLock { $0 } }

    private final class Received: Sendable {
        let lines = Mutex<[String]>([])
    }

    private static func serve(
        _ client: Int32,
        _ version: String?,
        _ answer: String?,
        _ nonce: String,
        _ welcome: String?,
        _ greetings: Received
    ) {
        let question = nonce.isEmpty ? "" : #","auth_required":true,"nonce":"\#(nonce)""#
        if let version {
            send(
                #"INFO {"server_id":"old","version":"\#(version)","proto":1,"headers":true,"#
                    + #""max_payload":1048576,"jetstream":true\#(question)}"#,
                to: client
            )
        }
        if version == nil, welcome == nil { return }
        var unread = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return }
            unread += String(decoding: buffer[..<count], as: UTF8.self)
            while let end = unread.firstIndex(of: "\r\n") {
                let line = unread[..<end]
                if line.hasPrefix("CONNECT") {
                    greetings.lines.withLock { $0.append(String(line)) }
                }
                guard welcome != nil || !line.hasPrefix("PING") else { return }
                reply(to: line.split(separator: " "), answer, welcome ?? "", client)
                unread = String(unread[unread.index(after: end)...])
            }
        }
    }

    private static func reply(
        to words: [Substring],
        _ answer: String?,
        _ welcome: String,
        _ client: Int32
    ) {
        switch words.first {
        case "PING": send(welcome, to: client)
        case "PUB" where words.count == 4:
            // libnats subscribes to all its answers at once, with the number 1.
            if let answer {
                send("MSG \(words[2]) 1 \(answer.utf8.count)\r\n\(answer)", to: client)
            } else {
                send("HMSG \(words[2]) 1 16 16\r\nNATS/1.0 503\r\n\r\n", to: client)
            }
        default: break
        }
    }

    private static func send(_ line: String, to client: Int32) {
        let bytes = Array((line + "\r\n").utf8)
        _ = write(client, bytes, bytes.count)
    }
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
        &thread,
        nil,
        { box in
            if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
            return nil
        },
        Unmanaged.passRetained(Box(body)).toOpaque()
    )
    pthread_detach(thread)
}
