import ArgumentParser
import BLEOTA

/// The argument of `--algorithm`: `ed25519` or `p256`.
enum SigningKindArgument: String, ExpressibleByArgument, CaseIterable {
    case ed25519, p256

    var kind: SigningKind { self == .p256 ? .p256 : .ed25519 }
}
