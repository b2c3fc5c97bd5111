import BLEOTA
import SystemPackage

/// Links of other processes, over a socket.
struct SocketLinks: LinkSource {
    private let listener: SocketListener

    init(_ path: FilePath, attMTU: Int, _ reporter: Reporter) throws(Failure) {
        do throws(SocketError) {
            listener = try SocketListener(path: path, attMTU: attMTU)
        } catch {
            guard case .system(let call, let errno) = error else {
                throw Failure(.cannotCreate, error.description)
            }
            if call == "pthread_create" {
                throw Failure(
                    .inputOutput,
                    "The system refuses threads to this process (\(errno)); allow its user more "
                        + "processes, or it more memory"
                )
            }
            throw Failure(
                .cannotCreate,
                "Can't listen at \(path) (\(errno)); name a socket in a directory that exists and "
                    + "can be written."
            )
        }
        reporter.event(JSONLine(event: "listening").adding("path", path.string))
        reporter.note("listening on \(path)")
    }

    let limits = ServiceLimits()

    func next() async throws -> Guest {
        do throws(SocketError) {
            return Guest(try await listener.accept())
        } catch {
            if Task.isCancelled { throw TransferError(.cancelled) }
            throw Failure(.inputOutput, error.description)
        }
    }

    func onShortage(_ body: @escaping @Sendable () -> Void) { listener.onShortage(body) }

    func end() { listener.close() }
}
