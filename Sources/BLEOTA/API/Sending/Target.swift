import SystemPackage

/// The peer to push firmware to, or to pull an image from. A target establishes the links to
/// one peer and replaces a link that is lost.
///
/// ```swift
/// let device = Target.serial("/dev/ttyUSB0", baudRate: 921_600)
/// let report = try await firmware.push(to: device)
/// ```
///
/// The module `BLEOTABlueZ` adds Bluetooth devices. Nothing is opened before a transfer starts.
/// A target serves one transfer at a time, and any number in sequence.
public struct Target: Sendable, CustomStringConvertible {
    package let connector: any Connector
    /// The human-readable name of the peer, such as the path of its socket.
    public let description: String

    package init(_ connector: any Connector, description: String) {
        self.connector = connector
        self.description = description
    }

    /// A receiver that listens on a Unix socket of the type `SOCK_SEQPACKET`.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - attMTU: the ATT_MTU to propose, 23 to 517; the link uses the smaller of this value
    ///     and the listener's.
    public static func socket(_ path: String, attMTU: Int = 517) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        return Target(
            SocketConnector(path: FilePath(path), attMTU: attMTU),
            description: path
        )
    }

    /// A receiver at the other end of a serial line, or at a Unix socket that an emulator
    /// provides in place of a line.
    ///
    /// - Parameters:
    ///   - path: the path of the device, such as `/dev/ttyUSB0`.
    ///   - baudRate: the rate in bits per second, 1,200 to 4,000,000. If the system does not
    ///     support the rate, or if a rate is given for a socket, the transfer fails with the
    ///     code `cannotConnect`. Default: 115,200 for a device, none for a socket.
    ///   - attMTU: the ATT_MTU that determines the frame size, 23 to 517.
    public static func serial(_ path: String, baudRate: Int? = nil, attMTU: Int = 247) -> Target {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        let connector: any Connector
        do throws(SerialError) {
            let address = try SerialAddress(path, bitsPerSecond: baudRate)
            connector = SerialConnector(address, attMTU: attMTU)
        } catch {
            connector = FailingConnector(error: TransferError(.serial(error)))
        }
        return Target(connector, description: path)
    }

    /// A peer that is reached over a custom transport.
    ///
    /// ```swift
    /// let target = Target.transport("bench") { try await Pipe.connect() }
    /// ```
    ///
    /// - Parameters:
    ///   - description: a human-readable name of the peer.
    ///   - connect: establishes a new link whenever there is none. If it throws while the first
    ///     link is being established, the transfer ends: with that error if it is a
    ///     ``TransferError``, otherwise with the code `cannotConnect`. While a lost link is
    ///     being restored, the transfer tries again. The transfer closes the link when it ends.
    public static func transport(
        _ description: String,
        connect: @escaping @Sendable () async throws -> any Transport
    ) -> Target {
        Target(ClosureConnector(connect: connect), description: description)
    }
}

/// A connector that always fails with the same error.
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
            throw TransferError(.cannotConnect("The link can't be set up: \(error)."))
        }
    }
}

extension SerialAddress {
    /// - Parameter bitsPerSecond: the rate; `nil` for the default. The initializer throws if the
    ///   system does not support the rate.
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
