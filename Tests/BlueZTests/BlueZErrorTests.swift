import BlueZ
import DBus
import Testing

@Suite("What the daemon's errors mean")
struct BlueZErrorTests {
    /// A name without its prefix, a text, and what it means.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let meaning: BlueZError

        init(_ name: String, _ text: String, _ meaning: BlueZError) {
            self.name = name
            self.text = text
            self.meaning = meaning
        }

        var testDescription: String { "\(name) \"\(text)\"" }
    }

    private static let path = ObjectPath("/org/bluez/hci0/dev_1")!

    static let busErrors = [
        Row("ServiceUnknown", "The name is not activatable", .noDaemon),
        Row("NameHasNoOwner", "", .noDaemon),
        Row("Spawn.ChildExited", "Process org.bluez exited with status 1", .noDaemon),
        Row("Spawn.ServiceNotFound", "", .noDaemon),
        Row("UnknownObject", "Method \"Connect\" doesn't exist", .objectGone(path.text)),
        Row("UnknownMethod", "Method \"Connect\" doesn't exist", .objectGone(path.text)),
        Row("UnknownInterface", "", .objectGone(path.text)),
        Row("NoReply", "Message recipient disconnected from message bus", .noDaemon),
        Row("TimedOut", "", .noDaemon),
        Row("Timeout", "", .noDaemon),
        Row("Disconnected", "", .noDaemon),
        Row("AccessDenied", "Rejected send message", .permissionDenied("Rejected send message")),
        Row("LimitsExceeded", "The maximum number of pending replies", .busy),
        Row("InvalidArgs", "No such property 'MTU'", .invalid("No such property 'MTU'")),
        Row("NoMemory", "", .failed("NoMemory: ")),
    ]

    static let daemonErrors = [
        Row("NotReady", "Resource Not Ready", .adapterOff),
        Row("InProgress", "Operation already in progress", .busy),
        Row("Failed", "Operation already in progress", .busy),
        Row("Failed", "In Progress", .busy),
        Row("NotConnected", "Not Connected", .disconnected),
        Row("Failed", "Not connected", .disconnected),
        Row("NotPermitted", "Write acquired", .locked),
        Row("NotPermitted", "Notify acquired", .locked),
        Row("NotPermitted", "Read not permitted", .att(.readNotPermitted)),
        Row("NotPermitted", "Write not permitted", .att(.writeNotPermitted)),
        Row("NotPermitted", "Not paired", .needsPairing),
        Row("NotAuthorized", "", .att(.insufficientAuthorization)),
        Row(
            "NotSupported",
            "Operation is not supported",
            .notSupported("Operation is not supported")
        ),
        Row("InvalidArguments", "Invalid Length", .att(.invalidAttributeValueLength)),
        Row("InvalidArguments", "Invalid offset", .att(.invalidOffset)),
        Row("InvalidOffset", "", .att(.invalidOffset)),
        Row("InvalidValueLength", "", .att(.invalidAttributeValueLength)),
        Row("Failed", "Operation failed with ATT error: 0x0e", .att(.unlikelyError)),
        Row("Failed", "Operation failed with ATT error: 0x81", .att(ATTError(rawValue: 0x81))),
        Row(
            "Failed",
            "Operation failed with ATT error: 0x1ff",
            .failed("Operation failed with ATT error: 0x1ff")
        ),
        Row(
            "Failed",
            "le-connection-abort-by-local",
            .connectionFailed("le-connection-abort-by-local")
        ),
        Row("Failed", "br-connection-canceled", .connectionFailed("br-connection-canceled")),
        Row("ConnectionAttemptFailed", "Page Timeout", .connectionFailed("Page Timeout")),
        Row("Failed", "Blocked through rfkill", .adapterBlocked(.soft)),
        Row("Failed", "Input/output error", .failed("Input/output error")),
        Row("AuthenticationFailed", "", .pairingFailed("AuthenticationFailed")),
        Row("AuthenticationCanceled", "", .pairingFailed("AuthenticationCanceled")),
        Row("AuthenticationRejected", "", .pairingFailed("AuthenticationRejected")),
        Row("AuthenticationTimeout", "", .pairingFailed("AuthenticationTimeout")),
        Row("DoesNotExist", "Does Not Exist", .objectGone("Does Not Exist")),
        Row("AlreadyExists", "Already Exists", .failed("AlreadyExists: Already Exists")),
    ]

    @Test("each error of the bus has its meaning", arguments: busErrors)
    func busError(_ row: Row) {
        let name = "org.freedesktop.DBus.Error." + row.name
        let error = BusError.answered(name: name, message: row.text)
        #expect(BlueZError(error, at: Self.path) == row.meaning)
    }

    @Test("each error of the daemon has its meaning", arguments: daemonErrors)
    func daemonError(_ row: Row) {
        let error = BusError.answered(name: "org.bluez.Error." + row.name, message: row.text)
        #expect(BlueZError(error, at: Self.path) == row.meaning)
    }

    @Test("what is no answer has its meaning too")
    func noAnswer() {
        #expect(BlueZError(.disconnected("gone")) == .noBus("gone"))
        #expect(BlueZError(.deadline) == .timedOut("A reply from the Bluetooth daemon"))
        #expect(BlueZError(.cancelled) == .cancelled)
        let strange = BusError.answered(name: "com.example.Odd", message: "why")
        #expect(BlueZError(strange) == .failed("com.example.Odd: why"))
    }

    static let all: [BlueZError] = [
        .noBus("no such file"), .noDaemon, .permissionDenied("no"), .noAdapter(nil),
        .noAdapter("hci3"), .adapterOff, .adapterBlocked(.soft), .adapterBlocked(.hard),
        .adapterUnsupported("hci1", nil), .adapterUnsupported("hci1", .central),
        .adapterUnsupported("hci1", .peripheral), .objectGone("The device"),
        .missing("service 180f"),
        .connectionFailed("abort"), .disconnected, .busy, .locked, .needsPairing,
        .pairingFailed("no"), .att(.readNotPermitted), .notSupported("that"), .invalid("this"),
        .timedOut("Connecting"), .failed("no"),
    ]

    @Test("each error is one sentence that says what happened and what to do", arguments: all)
    func descriptions(_ error: BlueZError) {
        let text = error.description
        #expect(text.hasSuffix("."))
        #expect(!text.dropLast().contains(". "))
        #expect(!text.contains("\n"))
        #expect(text.first?.isUppercase == true)
        #expect(text.contains(";"), "what to do is said after a semicolon")
        #expect(text.split(separator: ";").last!.count > 10)
    }
}
