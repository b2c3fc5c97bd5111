import SystemPackage

/// Where a receiver's peers come from.
///
/// The module `BLEOTABlueZ` adds Bluetooth, with this machine as the device. Nothing is opened
/// before the receiver begins.
public struct Endpoint: Sendable, CustomStringConvertible {
    /// Opens the place where peers come.
    package typealias Opening =
        @Sendable (_ onChange: @escaping @Sendable (LineChange) -> Void) async throws(TransferError)
        -> any LinkSource

    package let open: Opening
    /// What people call the place, such as the path of a socket.
    public let description: String

    package init(description: String, open: @escaping Opening) {
        self.open = open
        self.description = description
    }

    /// A Unix socket, which is made at the path and removed at the end.
    ///
    /// - Parameters:
    ///   - path: where nothing is, or a socket that nobody listens at any more.
    ///   - attMTU: the largest ATT_MTU to agree to, 23 to 517.
    public static func socket(_ path: String, attMTU: Int = 517) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        return Endpoint(description: path) { (_) throws(TransferError) in
            try SocketLinks(FilePath(path), attMTU: attMTU)
        }
    }

    /// A serial line, which has to be there at first, and is opened again when it is unplugged and
    /// comes back.
    ///
    /// - Parameters: as for ``Target/serial(_:baudRate:attMTU:)``.
    public static func serial(_ path: String, baudRate: Int? = nil, attMTU: Int = 247) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
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

    /// Links of a type of one's own.
    ///
    /// ```swift
    /// let endpoint = Endpoint.transports("pipes", from: listener.links)
    /// ```
    ///
    /// - Parameters:
    ///   - description: what people call the place.
    ///   - links: the links of peers as they come; the receiver ends when it ends. Each link is
    ///     closed when its peer has been served.
    public static func transports<Links: AsyncSequence & Sendable>(
        _ description: String,
        from links: Links
    ) -> Endpoint where Links.Element: Transport {
        Endpoint(description: description) { (_) throws(TransferError) in
            SequenceLinks(links, place: description) { $0 }
        }
    }

    /// The same, of links of several types.
    public static func transports<Links: AsyncSequence & Sendable>(
        _ description: String,
        from links: Links
    ) -> Endpoint where Links.Element == any Transport {
        Endpoint(description: description) { (_) throws(TransferError) in
            SequenceLinks(links, place: description) { $0 }
        }
    }
}
