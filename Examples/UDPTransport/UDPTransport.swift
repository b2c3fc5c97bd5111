// A transport of one's own: bleota over UDP, both ends on this machine. A packet is a byte that
// names the channel, and the datagram; an empty packet says that its sender has closed.
import BLEOTA
import BLEOTATransportTesting
@preconcurrency import Dispatch
import Glibc

final class UDPTransport: Transport {
    // README: link
    // UDP may lose and reorder packets, which the protocol repairs. A socket holds some 200 packets
    // for a late reader and loses more, so the peer is told to send no more than 128 unread ones.
    let limits = TransportLimits(
        attMTU: 517,
        controlByteCountMax: 512,
        dataByteCountMax: 512,
        isOrdered: false,
        takesDataWithResponse: false,
        unreadCountMax: 128
    )
    private let inbound = DatagramQueue()
    private let socket: Int32
    private let reader: any DispatchSourceRead

    /// Takes a socket that is connected to the peer.
    init(_ socket: Int32) {
        self.socket = socket
        reader = DispatchSource.makeReadSource(fileDescriptor: socket)
        reader.setEventHandler { [inbound] in
            var packet = [UInt8](repeating: 0, count: 513)
            let count = recv(socket, &packet, packet.count, Int32(MSG_DONTWAIT))
            if count == 0 { inbound.end(.remote) }
            guard count > 1, let channel = Datagram.Channel(rawValue: packet[0]) else { return }
            let datagram = Datagram(channel: channel, bytes: Array(packet[1..<count]))
            if !inbound.put([datagram]) { inbound.end(.overflow) }
        }
        reader.setCancelHandler { _ = Glibc.close(socket) }
        reader.resume()
    }

    deinit {
        close(.local)
        reader.cancel()
    }
    // end
    // README: calls
    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await flush()
        // A packet that the system has no room for is one more that gets lost.
        let packet = [channel.rawValue] + datagram
        _ = Glibc.send(socket, packet, packet.count, Int32(MSG_DONTWAIT))
    }

    /// Nobody says what has arrived, so there is nothing to wait for.
    func flush() async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        if let closeReason { throw .closed(closeReason) }
    }

    func receive() async throws(TransportError) -> [Datagram] { try await inbound.receive() }

    func close(_ reason: CloseReason) {
        if closeReason == nil { _ = Glibc.send(socket, nil, 0, Int32(MSG_DONTWAIT)) }
        inbound.end(reason)
    }

    var closeReason: CloseReason? { inbound.closeReason }
    // end

    /// Two sockets of this machine, each bound to a free port and connected to the other.
    static func makePair() -> (UDPTransport, UDPTransport) {
        let sockets = (0..<2).map { _ in Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(sockets[0], place, length)
                // The other one gets its port when it is connected.
                for (bound, other) in [(sockets[0], sockets[1]), (sockets[1], sockets[0])] {
                    getsockname(bound, place, &length)
                    connect(other, place, length)
                }
            }
        }
        return (UDPTransport(sockets[0]), UDPTransport(sockets[1]))
    }
}

@main struct Main {
    /// Pushes an image over UDP, and receives it in the same process.
    static func push(_ path: String, into directory: String) async throws {
        let (here, there) = UDPTransport.makePair()
        let receiver = FirmwareReceiver(
            at: .transports("udp", from: AsyncStream { $0.yield(there) }),
            storingIn: try DirectoryStore(directory: directory),
            accepting: .unsigned()
        )
        let serving = Task { try await receiver.run() }
        let firmware = try await Firmware(contentsOf: path)
        print(try await firmware.push(to: .transport("udp") { here }))
        serving.cancel()
    }

    /// Checks that the transport keeps the contract; UDP loses packets and tells nobody.
    static func check() async -> Bool {
        // README: conformance
        var options = TransportConformance.Options()
        options.isLossy = true
        options.flushProvesArrival = false
        let conformance = TransportConformance(options: options) { UDPTransport.makePair() }
        // end
        let violations = await conformance.violations()
        for violation in violations { print(violation) }
        return violations.isEmpty
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: UDPTransport FILE DIRECTORY") }
        try await push(arguments[1], into: arguments[2])
        exit(await check() ? 0 : 1)
    }
}
