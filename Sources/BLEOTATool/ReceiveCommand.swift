import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota receive`: serves transfer after transfer until told to stop.
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive firmware images, one after the other, until told to stop.",
        usage: "bleota receive --listen unix:PATH --store DIR [<options>]",
        discussion: """
            The verified image is DIR/current/image; the one before it is DIR/previous/image.

            Example:
              bleota receive --listen unix:/run/device.socket --store /var/lib/device
            """
    )

    @Option(
        help: ArgumentHelp("The socket to listen on.", valueName: Target.valueName),
        transform: Target.init(argument:)
    )
    var listen: Target

    @Option(
        help: ArgumentHelp(
            "The directory that keeps images and unfinished transfers.",
            valueName: "DIR"
        ),
        completion: .directory
    )
    var store: String

    @Flag(help: "End after the first verified image.")
    var once = false

    @Option(
        help: ArgumentHelp(
            "Let peers pull this file by its name; may be given more than once.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var offer: [String] = []

    @Option(help: ArgumentHelp("The largest ATT_MTU to agree to, 23 to 517.", valueName: "N"))
    var mtu = 517

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (23...517).contains(mtu) else {
            throw ValidationError("an ATT_MTU is 23 to 517, not \(mtu)")
        }
        if once, !offer.isEmpty {
            throw ValidationError(
                "--once ends when an image has arrived, before a peer can pull; leave out --once "
                    + "or --offer"
            )
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) { try await receive(reporter) }
    }

    private func receive(_ reporter: Reporter) async throws {
        let offers = try offer.map { path throws(ImageError) in
            try PreparedImage(FirmwareImage(contentsOf: FilePath(path)))
        }
        let store = try DirectoryStore(directory: FilePath(self.store))
        let listener: SocketListener
        do throws(SocketError) {
            listener = try SocketListener(path: listen.path, attMTU: mtu)
        } catch {
            guard case .system(_, let errno) = error else {
                throw Failure(.cannotCreate, error.description)
            }
            throw Failure(
                .cannotCreate,
                "Can't listen at \(listen.path) (\(errno)); name a socket in a directory that "
                    + "exists and can be written."
            )
        }
        defer { listener.close() }
        reporter.event(JSONLine(event: "listening").adding("path", listen.path.string))
        reporter.note("listening on \(listen.path)")
        if once {
            try await receiveOne(listener, store, reporter)
        } else {
            try await receiveAll(listener, store, offers, reporter)
        }
    }

    /// What happens next while the first image is awaited.
    private enum Step: Sendable {
        case accepted(SocketTransport)
        case received
        case endedOtherwise
    }

    /// Every peer is heard, since one that connects may never send anything.
    private func receiveOne(
        _ listener: SocketListener,
        _ store: DirectoryStore,
        _ reporter: Reporter
    ) async throws {
        try await withThrowingTaskGroup(of: Step.self) { group in
            group.addTask { .accepted(try await accept(listener)) }
            while let step = try await group.next() {
                switch step {
                case .accepted(let link):
                    group.addTask { .accepted(try await accept(listener)) }
                    group.addTask { try await receive(over: link, store, reporter) }
                case .received:
                    group.cancelAll()
                    return
                case .endedOtherwise: continue
                }
            }
        }
    }

    private func receive(
        over link: SocketTransport,
        _ store: DirectoryStore,
        _ reporter: Reporter
    ) async throws(TransferError) -> Step {
        defer { link.close(.local) }
        do throws(TransferError) {
            _ = try await BLEOTA.receive(over: link, into: store) { reporter.tell($0) }
            return .received
        } catch {
            // The sender may come again and go on; only this side's own end is one.
            switch error.code {
            case .cancelled: throw error
            case .store(let failure) where failure.code != .busy: throw error
            default:
                reporter.note("waiting       \(error)")
                return .endedOtherwise
            }
        }
    }

    private func receiveAll(
        _ listener: SocketListener,
        _ store: DirectoryStore,
        _ offers: [PreparedImage],
        _ reporter: Reporter
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                let link = try await accept(listener)
                group.addTask {
                    await serve(over: link, into: store, offering: offers) { reporter.tell($0) }
                    link.close(.local)
                }
            }
        }
    }

    private func accept(_ listener: SocketListener) async throws -> SocketTransport {
        while true {
            do throws(SocketError) {
                return try await listener.accept()
            } catch {
                guard error.isPeersFault else {
                    if Task.isCancelled { throw TransferError(.cancelled) }
                    throw Failure(.inputOutput, error.description)
                }
                // Somebody else's bytes on the socket are no reason to stop serving.
            }
        }
    }
}

extension Reporter {
    /// Tells what a receiver does.
    func tell(_ event: ReceiveEvent) {
        switch event {
        case .started(let manifest, let byte):
            self.event(
                JSONLine(event: "started").adding("name", manifest.name)
                    .adding("bytes", manifest.imageByteCount).adding("resumedFromByte", byte)
            )
            note(
                "receiving     \(manifest.name ?? "an image"), "
                    + "\(Units.grouped(manifest.imageByteCount)) bytes"
                    + (byte > 0 ? ", from byte \(Units.grouped(byte))" : "")
            )
        case .progress(let progress): self.progress(progress)
        case .stored(let image), .alreadyCurrent(let image):
            self.event(
                JSONLine(event: "stored").adding("path", image.path?.string)
                    .adding("sha256", Units.hex(image.sha256)).adding("bytes", image.byteCount)
            )
            note("stored        \(image.path?.string ?? "in memory")")
        case .ended(let error):
            self.event(JSONLine(event: "ended").adding("message", error.description))
            note("ended         \(error)")
        case .served(let name, let report):
            self.event(
                JSONLine(event: "served").adding("name", name).adding("bytes", report.byteCount)
            )
            note("served        \(name)")
        case .servingEnded(let name, let error):
            self.event(
                JSONLine(event: "ended").adding("name", name).adding("message", error.description)
            )
            note("ended         \(name): \(error)")
        }
    }
}
