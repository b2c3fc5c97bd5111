import SystemPackage

/// Where firmware is sent to, or an image is fetched from: how to make a link to one peer, again
/// and again where links are lost.
///
/// ```swift
/// let device = Target.serial("/dev/ttyUSB0", baudRate: 921_600)
/// let report = try await firmware.push(to: device)
/// ```
///
/// The module `BLEOTABlueZ` adds Bluetooth devices. Nothing is opened before a transfer begins. One
/// target serves one transfer at a time, and any number one after the other.
public struct Target: Sendable, CustomStringConvertible {
    package let connector: any Connector
    /// What people call the peer, such as the path of its socket.
    public let description: String

    package init(_ connector: any Connector, description: String) {
        self.connector = connector
        self.description = description
    }

    /// A receiver that listens on a Unix socket.
    ///
    /// - Parameters:
    ///   - path: of the socket.
    ///   - attMTU: frames are made for this ATT_MTU, 23 to 517; what the listener allows is the
    ///     limit.
    public static func socket(_ path: String, attMTU: Int = 517) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        return Target(
            SocketConnector(path: FilePath(path), attMTU: attMTU),
            description: path
        )
    }

    /// A receiver at the other end of a serial line, or of the Unix socket that an emulator offers
    /// for one.
    ///
    /// - Parameters:
    ///   - path: of the device, such as `/dev/ttyUSB0`.
    ///   - baudRate: bits in a second, one of the rates that the system knows, 1,200 to 4,000,000;
    ///     a transfer fails with the code `cannotConnect` for another. By default 115,200; a socket
    ///     has none.
    ///   - attMTU: frames are made for this ATT_MTU, 23 to 517.
    public static func serial(_ path: String, baudRate: Int? = nil, attMTU: Int = 247) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        let connector: any Connector
        do throws(SerialError) {
            let address = try SerialAddress(path, bitsPerSecond: baudRate)
            connector = SerialConnector(address, attMTU: attMTU)
        } catch {
            connector = FailingConnector(error: TransferError(.serial(error)))
        }
        return Target(connector, description: path)
    }

    /// A peer that is reached over links of a type of one's own.
    ///
    /// ```swift
    /// let target = Target.transport("bench") { try await Pipe.connect() }
    /// ```
    ///
    /// - Parameters:
    ///   - description: what people call the peer.
    ///   - connect: makes a link, each time that there is none. Where it throws, the transfer ends
    ///     with the code `cannotConnect`, or tries again while a lost link is made again. The
    ///     transfer closes the link at its end.
    public static func transport(
        _ description: String,
        connect: @escaping @Sendable () async throws -> any Transport
    ) -> Target {
        Target(ClosureConnector(connect: connect), description: description)
    }
}

/// What a target can't be connected to, and why.
private struct FailingConnector: Connector {
    let error: TransferError

    func connect() throws(TransferError) -> any Transport { throw error }
}

private struct ClosureConnector: Connector {
    let connect: @Sendable () async throws -> any Transport

    func connect() async throws(TransferError) -> any Transport {
        do {
            return try await connect()
        } catch let error as TransferError {
            throw error
        } catch is CancellationError {
            throw TransferError(.cancelled)
        } catch {
            throw TransferError(.cannotConnect("The link can't be made: \(error)."))
        }
    }
}

extension SerialAddress {
    /// - Parameter bitsPerSecond: as a number that may be none of the system's rates.
    init(_ path: String, bitsPerSecond: Int?) throws(SerialError) {
        guard let bitsPerSecond else {
            self.init(path: FilePath(path))
            return
        }
        guard let rate = BaudRate(bitsPerSecond: bitsPerSecond) else {
            throw .rateUnknown(FilePath(path), bitsPerSecond: bitsPerSecond)
        }
        self.init(path: FilePath(path), baudRate: rate)
    }
}
