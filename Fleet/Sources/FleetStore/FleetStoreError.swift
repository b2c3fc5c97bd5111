package import FleetModel
package import NATS

/// Why the store didn't do what it was asked.
package enum FleetStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    case nats(NATSError)
    /// What is stored under a key isn't what belongs there.
    case unreadable(Key, CodecError)
    /// An image isn't whole in the store, or isn't the one of its digest.
    case brokenImage(Digest)
    /// The operator hasn't made the store yet.
    case noStore

    package var description: String {
        switch self {
        case .nats(let error): error.description
        case .unreadable(let key, let why): "what is stored as \(key) can't be read: \(why)"
        case .brokenImage(let digest): "the store has not the whole image \(digest.hexadecimal)"
        case .noStore: "the server has no fleet: make one with bleota-fleet init"
        }
    }
}

/// That the engine is away, as whoever runs a program was told it.
package struct EngineAbsence: Sendable {
    /// Why it is away; `nil` while it is there.
    private var problem: FleetStoreError?

    package init() {}

    package var isAway: Bool { problem != nil }

    /// Takes in why something failed.
    ///
    /// - Returns: whether to tell it. One that is away fails in many ways, of which the first says
    ///   enough, unless a file is missing here: somebody can do something about that.
    package mutating func failed(_ error: FleetStoreError) -> Bool {
        guard problem == nil || error.isOfSeed && !(problem?.isOfSeed ?? false) else {
            return false
        }
        problem = error
        return true
    }

    /// Takes in that something succeeded.
    ///
    /// - Returns: whether to tell that the engine is back.
    package mutating func succeeded() -> Bool {
        defer { problem = nil }
        return problem != nil
    }
}

extension FleetStoreError {
    fileprivate var isOfSeed: Bool {
        if case .nats(.noSeed) = self { true } else { false }
    }

    /// Whether the same operation may succeed later, without anybody's help.
    package var mayPass: Bool {
        guard case .nats(let error) = self else { return false }
        return switch error.fault {
        case .network, .caller: true
        case .operator, .otherClient, .process: false
        }
    }
}
