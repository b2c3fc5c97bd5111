/// What somebody did to a fleet, or what a controller found, for people who ask later.
package struct AuditEntry: Sendable, Hashable {
    /// A public key has 56 characters.
    package static let userByteCountMax = 56
    /// A user, a machine and a process; names of machines have 64 bytes.
    package static let authorByteCountMax = 256
    /// Two names of 64 bytes in a sentence.
    package static let sentenceByteCountMax = 512

    /// The public key by which the server knows who wrote this; `nil` without keys.
    package let user: String?
    /// Who did it, by its own account: `root on host-1, process 4711`.
    package let author: String
    /// What was done, such as `paused spring`.
    package let sentence: String

    /// Makes an entry. Only the beginning of a text that is too long is kept.
    package init(user: String?, author: String, _ sentence: String) {
        self.user = user.map { $0.prefix(byteCountMax: Self.userByteCountMax) }
        self.author = author.prefix(byteCountMax: Self.authorByteCountMax)
        self.sentence = sentence.prefix(byteCountMax: Self.sentenceByteCountMax)
    }
}
