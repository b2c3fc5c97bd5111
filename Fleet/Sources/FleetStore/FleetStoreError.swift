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

extension FleetStoreError {
    /// Whether the same operation may succeed later, without anybody's help.
    package var mayPass: Bool {
        guard case .nats(let error) = self else { return false }
        return switch error.fault {
        case .network, .caller: true
        case .operator, .otherClient, .process: false
        }
    }
}
