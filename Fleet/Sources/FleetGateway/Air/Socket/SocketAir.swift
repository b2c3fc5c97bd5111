package import BLEOTA
package import FleetModel

package import struct SystemPackage.FilePath

/// Devices behind Unix sockets in a folder, for tests and demonstrations.
///
///     DEVICE.advert   what the device says of itself (``Advertisement``)
///     DEVICE.sock     where it takes images, as bleota push --device unix:… sends them
///
/// The protocol over sockets says neither hardware nor version, so a file takes the place of the
/// advertisement. A device is heard as long as both are there.
package struct SocketAir: Air {
    package static let advertisementEnding = ".advert"
    package static let socketEnding = ".sock"
    /// A device is heard once a second, as often as one with a slow radio advertises.
    private static let pause = Duration.seconds(1)
    /// As many as an address book of a gateway has pages, so that a folder of another kind is read
    /// in bounded time.
    private static let namesMax = 2 * SightingBook.devicesMax

    package let usualPlaces: UInt8 = 8

    private let folder: FilePath
    private let pace: GatewayPace

    package init(folder: FilePath, pace: GatewayPace = GatewayPace()) {
        self.folder = folder
        self.pace = pace
    }

    /// Where a device takes images.
    package static func socket(of device: DeviceID, in folder: FilePath) -> FilePath {
        folder.appending(device.text + socketEnding)
    }

    package static func advertisement(of device: DeviceID, in folder: FilePath) -> FilePath {
        folder.appending(device.text + advertisementEnding)
    }

    package func listen(
        _ heard: @escaping @Sendable (HeardDevice) async -> Void,
        leftOut: @escaping @Sendable (String) async -> Void
    ) async throws(AirError) {
        var problems = AdvertisementProblems()
        while !Task.isCancelled {
            let (devices, wrong) = try look()
            for device in devices { await heard(device) }
            for sentence in problems.news(wrong) { await leftOut(sentence) }
            try? await Task.sleep(for: Self.pause)
        }
    }

    package func push(
        _ image: Firmware,
        to device: DeviceID,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError) {
        let socket = Self.socket(of: device, in: folder)
        try await LibraryPush.run(image, to: .socket(socket.string), pace, progress: progress)
    }

    package func receipt(
        of device: DeviceID,
        _ nonce: Nonce
    ) async throws(PushError) -> DeviceReceipt? {
        let socket = Self.socket(of: device, in: folder)
        return try await LibraryPush.receipt(from: .socket(socket.string), nonce)
    }

    /// The devices that are there, and by the names of their files what is wrong with others.
    func look() throws(AirError) -> (
        devices: [HeardDevice], wrong: [String: AdvertisementProblems.Problem]
    ) {
        let names: [String]
        do {
            names = try Folder.names(in: folder, max: Self.namesMax)
        } catch .noSuchFileOrDirectory {
            throw AirError(
                "waiting for the folder \(folder), which isn't there: make it, or give another "
                    + "one with --sockets"
            )
        } catch {
            throw AirError("the folder \(folder) of the devices can't be read: \(error)")
        }
        let sockets = Set(names.filter { $0.hasSuffix(Self.socketEnding) })
        var devices: [HeardDevice] = []
        var wrong: [String: AdvertisementProblems.Problem] = [:]
        for name in names.sorted() where name.hasSuffix(Self.advertisementEnding) {
            let id = name.dropLast(Self.advertisementEnding.count)
            guard sockets.contains(id + Self.socketEnding) else {
                wrong[name] = .init(
                    "\(folder.appending(name)): there is no \(id)\(Self.socketEnding) beside it, to "
                        + "which images could be pushed",
                    lookCount: AdvertisementProblems.Problem.restartLookCount
                )
                continue
            }
            do throws(Advertisement.Problem) {
                if let device = try device(String(id), name) { devices.append(device) }
            } catch {
                wrong[name] = .init("\(folder.appending(name)): \(error)")
            }
        }
        return (devices, wrong)
    }

    /// What a file says; `nil` if it has gone.
    private func device(
        _ id: String,
        _ name: String
    ) throws(Advertisement.Problem) -> HeardDevice? {
        guard let id = DeviceID(id) else {
            throw Advertisement.Problem(
                "the name of a device is 1 to 64 letters, digits, '_' and '-'"
            )
        }
        let bytes: [UInt8]
        do {
            bytes = try Folder.read(
                folder.appending(name),
                byteCountMax: Advertisement.byteCountMax
            )
        } catch .noSuchFileOrDirectory {
            // A device that is starting may have gone between the two looks.
            return nil
        } catch .fileTooLarge {
            throw Advertisement.Problem("it has more than \(Advertisement.byteCountMax) bytes")
        } catch {
            throw Advertisement.Problem("it can't be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Advertisement.Problem("it is no text")
        }
        return try Advertisement(text).heard(as: id)
    }
}

/// What is wrong with the files of devices, each told once.
struct AdvertisementProblems {
    struct Problem: Hashable {
        let sentence: String
        /// The looks one after another that must find it before it is told.
        let lookCount: Int

        /// A file may be written in the moment of a look, and be whole at the next. So two looks
        /// are enough for what is wrong with a file itself.
        init(_ sentence: String, lookCount: Int = 2) {
            self.sentence = sentence
            self.lookCount = lookCount
        }

        /// A device that restarts has no socket meanwhile. One look a second is half a minute.
        static let restartLookCount = 30
    }

    private var found: [String: (problem: Problem, lookCount: Int)] = [:]

    /// What is to be told of the problems of a look, by the names of files.
    mutating func news(_ problems: [String: Problem]) -> [String] {
        var news: [String] = []
        var next: [String: (problem: Problem, lookCount: Int)] = [:]
        for (name, problem) in problems.sorted(by: { $0.key < $1.key }) {
            let before = found[name].flatMap { $0.problem == problem ? $0.lookCount : nil } ?? 0
            let count = min(before, problem.lookCount) + 1
            if count == problem.lookCount { news.append(problem.sentence) }
            next[name] = (problem, count)
        }
        found = next
        return news
    }
}
