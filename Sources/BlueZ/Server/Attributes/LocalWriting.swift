import DBus

/// What a characteristic or a descriptor of ours does with writes.
///
/// More than ``LocalReading/byteCountMax`` bytes, offset included, never get to a handler.
public enum LocalWriting: Sendable {
    /// It refuses them.
    case refused
    /// The handler gets every write in the order of arrival, on the bus's thread: it must not wait,
    /// and holds up everything else as long as it runs. A peer that asks for a response gets it
    /// when the handler has returned. For bulk data without response.
    case stream(@Sendable (WriteRequest) -> Void)
    /// As ``stream(_:)``, and what peers write without response comes over a socket past the bus,
    /// at a third of the cost. The daemon loses what the socket has no room for: after 160 writes
    /// of 512 bytes that were not read. It does not say who wrote them, and those of all peers may
    /// come over one socket (before 5.69 they do). For bulk data that is counted and repaired.
    /// Where the daemon has lost track of its sockets, the writes come over the bus after all.
    ///
    /// A peer that asks for a response gets it at once where both ways to write are allowed.
    case socket(@Sendable (WriteRequest) -> Void)
    /// The handler decides. Handlers of one attribute run one after the other, in the order of
    /// arrival; while ``waitingCountMax`` wait, further writes are refused as
    /// ``ATTError/procedureInProgress``, or lost if they are without response. Deadline as for
    /// reads, see ``LocalReading/answerDeadline``.
    ///
    /// Of the errors the daemon passes on 0x02 (as 0x03), 0x03, 0x06, 0x07, 0x08, 0x0D, 0xFD (since
    /// 5.76), 0xFE and 0x80 to 0x9F; all others become ``ATTError/unlikelyError``. None is
    /// passed on where the characteristic has ``CharacteristicFlags/writeWithoutResponse``.
    case answered(@Sendable (WriteRequest) async -> Result<Void, ATTError>)

    /// How many requests of one attribute may wait for its handler.
    public static let waitingCountMax = 64

    /// What the daemon's write commands to the characteristic at `path` come over, where it is no
    /// calls.
    func sockets(_ client: BlueZClient, at path: ObjectPath) -> WriteSockets? {
        guard case .socket(let handler) = self else { return nil }
        return WriteSockets(client.bus) { bytes, mtu in
            handler(WriteRequest(command: bytes, mtu: mtu))
        } onUseless: { [weak client] in
            // Without the property the daemon calls.
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
