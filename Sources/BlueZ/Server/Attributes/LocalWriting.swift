import DBus

/// The way a local characteristic or descriptor handles writes.
///
/// Writes whose offset and length add up to more than ``LocalReading/byteCountMax`` bytes never
/// reach a handler.
public enum LocalWriting: Sendable {
    /// Refuses writes.
    case refused
    /// Passes every write to a handler, in the order of arrival, on the bus's thread. The handler
    /// must not block, because it delays all other work while it runs. If a peer requested a
    /// response, the response is sent after the handler has returned. Use this for bulk data
    /// without response.
    case stream(@Sendable (WriteRequest) -> Void)
    /// Works like ``stream(_:)``, but receives writes without response over a socket instead of the
    /// bus, at a third of the cost. The daemon drops writes when the socket is full. The socket
    /// holds at least 160 unread writes of 512 bytes. The daemon does not report which peer wrote a
    /// value, and several peers may share a socket (before BlueZ 5.69, they do). Use this for bulk
    /// data whose losses are detected and repaired. If the daemon has lost track of its sockets,
    /// the writes arrive over the bus after all.
    ///
    /// The handler gets the writes that arrived one after another in one call, at most 64.
    ///
    /// If the characteristic permits both kinds of write, a peer that requests a response gets it
    /// immediately.
    case socket(@Sendable ([WriteRequest]) -> Void)
    /// Passes each write to a handler that decides on the response. Handlers for one attribute
    /// run one at a time, in the order of arrival. While ``waitingCountMax`` requests are
    /// pending, further ones are refused with ``ATTError/procedureInProgress``, or dropped if they
    /// are without response. The deadline is the same as for reads; see
    /// ``LocalReading/answerDeadline``.
    ///
    /// The daemon passes on the errors 0x02 (as 0x03), 0x03, 0x06, 0x07, 0x08, 0x0D, 0xFD (since
    /// 5.76), 0xFE, and 0x80 to 0x9F; all others become ``ATTError/unlikelyError``. The daemon
    /// passes on no error if the characteristic has ``CharacteristicFlags/writeWithoutResponse``.
    case answered(@Sendable (WriteRequest) async -> Result<Void, ATTError>)

    /// The largest number of pending requests per attribute.
    public static let waitingCountMax = 64

    /// Creates the sockets for write commands to the characteristic at `path`; `nil` if the
    /// commands arrive as method calls.
    func sockets(_ client: BlueZClient, at path: ObjectPath) -> WriteSockets? {
        guard case .socket(let handler) = self else { return nil }
        return WriteSockets(client.bus) { messages, mtu in
            handler(messages.map { WriteRequest(command: $0, mtu: mtu) })
        } onUseless: { [weak client] in
            // Without the property `WriteAcquired`, the daemon uses method calls.
            Task { [weak client] in
                try? await client?.bus.emit(
                    "PropertiesChanged",
                    of: Interface.properties,
                    at: path,
                    [.string(Interface.characteristic), .options([:]), .strings(["WriteAcquired"])]
                )
            }
        }
    }

    var isRefused: Bool { if case .refused = self { true } else { false } }
}
