import Dispatch
import Glibc
import Synchronization

@testable import DBus

/// Something that listens like a bus and then does what the test says.
final class RawBus: Sendable {
    private let directory: String
    private let listener: CInt
    private let held = Mutex<[CInt]>([])
    private let isServed: Bool
    private let isEnded = Atomic(false)

    /// - Parameter script: gets the descriptor of each connection, on a thread of its own.
    init(backlog: CInt = 4, _ script: (@Sendable (CInt) -> Void)?) {
        var template = Array("/tmp/bleota-raw-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "can't make a directory in /tmp")
        directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        listener = Self.makeSocket()
        isServed = script != nil
        let path = "\(directory)/bus"
        let result = Self.withAddress(path) { [listener] in bind(listener, $0, $1) }
        precondition(result == 0 && listen(listener, backlog) == 0, "can't listen: \(errno)")
        guard let script else { return }
        DispatchQueue(label: "raw bus").async { [listener] in
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                script(peer)
                close(peer)
            }
            close(listener)
        }
    }

    deinit { end() }

    /// Ends everything that it holds open.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        let held = held.withLock { held in
            defer { held = [] }
            return held
        }
        guard !isEnded.exchange(true, ordering: .relaxed) else { return }
        if !isServed { close(listener) }
        for descriptor in held { close(descriptor) }
        unlink("\(directory)/bus")
        rmdir(directory)
    }

    var address: BusAddress { .at("unix:path=\(directory)/bus") }

    private static func makeSocket() -> CInt {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Connects to itself until there is no room for anybody else.
    func fillUp() {
        while true {
            let descriptor = Self.makeSocket()
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let result = Self.withAddress("\(directory)/bus") { connect(descriptor, $0, $1) }
            held.withLock { $0.append(descriptor) }
            if result != 0 { return }
        }
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafeBytes(of: address) { bytes in
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    // MARK: - What a script is made of

    static func say(_ bytes: [UInt8], to peer: CInt) {
        _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the peer is gone.
    static func drain(_ peer: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(peer, &buffer, buffer.count, 0) > 0 {}
    }

    /// Lets the peer in as a bus does that takes no descriptors, and reads its first message.
    static func welcome(_ peer: CInt) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(peer, &byte, 1, 0) == 1 {
            line.append(byte)
            guard line.suffix(2) == Array("\r\n".utf8)[...] else { continue }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if text.contains("AUTH") {
                say(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8), to: peer)
            } else if text.hasPrefix("BEGIN") {
                var hello = [UInt8](repeating: 0, count: 4096)
                _ = recv(peer, &hello, hello.count, 0)
                return
            } else {
                say(Array("ERROR\r\n".utf8), to: peer)
            }
        }
    }

    /// An answer with one argument.
    static func answer(to serial: UInt8, _ signature: Character, _ body: [UInt8]) -> [UInt8] {
        let fields: [UInt8] = [
            5, 1, UInt8(ascii: "u"), 0, serial, 0, 0, 0,
            8, 1, UInt8(ascii: "g"), 0, 1, signature.asciiValue!, 0,
        ]
        return [UInt8(ascii: "l"), 2, 1, 1, UInt8(body.count), 0, 0, 0, 1, 0, 0, 0]
            + [UInt8(fields.count), 0, 0, 0] + fields + [0] + body
    }

    /// Text as D-Bus writes it.
    static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8) + [0]
    }
}
