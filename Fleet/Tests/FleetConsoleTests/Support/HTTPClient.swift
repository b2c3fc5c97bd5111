import FleetTestSupport
import Glibc

/// An answer over HTTP.
struct HTTPAnswer {
    let status: Int
    /// By their names in small letters.
    let headers: [String: String]
    let body: String

    /// What a browser would send back.
    var cookie: String? {
        headers["set-cookie"]?.split(separator: ";").first.map(String.init)
    }
}

/// Asks a server over HTTP/1.1, with a connection for each question, and follows nothing: what
/// browsers do by themselves is what these tests look at.
struct HTTPClient: Sendable {
    let port: UInt16

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> HTTPAnswer {
        try await ask("GET", path, headers, "")
    }

    func post(
        _ path: String,
        _ form: String,
        _ headers: [String: String] = [:]
    ) async throws -> HTTPAnswer {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await ask("POST", path, headers, form)
    }

    private func ask(
        _ method: String,
        _ path: String,
        _ headers: [String: String],
        _ body: String
    ) async throws -> HTTPAnswer {
        let stream = try HTTPStream(port: port, method, path, headers, body)
        var text = ""
        while let piece = await stream.read() { text += piece }
        return try Self.answer(text)
    }

    private static func answer(_ text: String) throws -> HTTPAnswer {
        guard let end = text.firstRange(of: "\r\n\r\n") else {
            throw ChildProcess.Failure(description: "no answer: \(text)")
        }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        return HTTPAnswer(status: status, headers: headers, body: String(text[end.upperBound...]))
    }
}

/// One request, whose answer is read as it comes.
final class HTTPStream: Sendable {
    private let descriptor: Int32

    init(
        port: UInt16,
        _ method: String,
        _ path: String,
        _ headers: [String: String],
        _ body: String
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw ChildProcess.Failure(description: "nobody on \(port)") }
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let bytes = Array(text.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw ChildProcess.Failure(description: "nothing was sent to \(port)") }
    }

    deinit { close(descriptor) }

    /// What comes next; `nil` at the end.
    func read() async -> String? {
        while true {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&state, 1, 0) > 0 { break }
            // The thread is for the server's work.
            try? await Task.sleep(for: .milliseconds(2))
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Reads until the answer has a text.
    func read(until text: String) async throws -> String {
        var answer = ""
        while !answer.contains(text) {
            guard let piece = await read() else {
                throw ChildProcess.Failure(
                    description: "the stream ended without \(text): \(answer)"
                )
            }
            answer += piece
        }
        return answer
    }
}
