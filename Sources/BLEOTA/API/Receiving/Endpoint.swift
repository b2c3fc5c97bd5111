import SystemPackage

/// The place where a receiver's peers connect.
///
/// The module `BLEOTABlueZ` adds Bluetooth, with this machine as the peripheral. Nothing is
/// opened until the receiver starts.
public struct Endpoint: Sendable, CustomStringConvertible {
    /// Opens the endpoint and returns the source of its links.
    package typealias Opening =
        @Sendable (_ onChange: @escaping @Sendable (LineChange) -> Void) async throws(TransferError)
        -> any LinkSource

    package let open: Opening
    /// The human-readable name of the endpoint, such as the path of a socket.
    public let description: String

    package init(description: String, open: @escaping Opening) {
        self.open = open
        self.description = description
    }

    /// A Unix socket of the type `SOCK_SEQPACKET`, which is created at the path and removed when
    /// the receiver ends.
    ///
    /// - Parameters:
    ///   - path: the path of the socket. Any file there must be a socket on which no process is
    ///     listening.
    ///   - attMTU: the largest ATT_MTU to agree to, 23 to 517.
    public static func socket(_ path: String, attMTU: Int = 517) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        return Endpoint(description: path) { (_) throws(TransferError) in
            try SocketLinks(FilePath(path), attMTU: attMTU)
        }
    }

    /// A serial line. The line must be present at the start. If its device is unplugged later,
    /// the receiver opens the line again once the device is back.
    ///
    /// - Parameters:
    ///   - path: the path of the device, such as `/dev/ttyUSB0`.
    ///   - baudRate: as for ``Target/serial(_:baudRate:attMTU:)``.
    ///   - attMTU: as for ``Target/serial(_:baudRate:attMTU:)``.
    public static func serial(_ path: String, baudRate: Int? = nil, attMTU: Int = 247) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        return Endpoint(description: path) { (onChange) throws(TransferError) in
            let address: SerialAddress
            do throws(SerialError) {
                address = try SerialAddress(path, bitsPerSecond: baudRate)
            } catch {
                throw TransferError(.serial(error))
            }
            return try SerialLinks(address, attMTU: attMTU, onChange: onChange)
        }
    }

    /// Links over a custom transport.
    ///
    /// ```swift
    /// let endpoint = Endpoint.transports("pipes", from: listener.links)
    /// ```
    ///
    /// - Parameters:
    ///   - description: a human-readable name of the endpoint.
    ///   - links: the links of peers as they connect. The receiver ends when the sequence ends.
    ///     It closes each link after serving the peer.
    public static func transports<Links: AsyncSequence & Sendable>(
        _ description: String,
        from links: Links
    ) -> Endpoint where Links.Element: Transport {
        Endpoint(description: description) { (_) throws(TransferError) in
            SequenceLinks(links, place: description) { $0 }
        }
    }

    /// Links over several types of transport. Otherwise the same as the method for a single
    /// type.
    public static func transports<Links: AsyncSequence & Sendable>(
        _ description: String,
        from links: Links
    ) -> Endpoint where Links.Element == any Transport {
        Endpoint(description: description) { (_) throws(TransferError) in
            SequenceLinks(links, place: description) { $0 }
        }
    }
}
