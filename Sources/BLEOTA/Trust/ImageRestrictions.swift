/// Which devices may install an image, and until when. A device refuses what it can't tell.
package struct ImageRestrictions: Hashable, Sendable {
    /// For which hardware it is. Default: not said.
    package var hardware: HardwareRange?
    /// For which part of the device it is, 1 to 64 bytes in UTF-8. Default: the only one.
    package var component: String?
    /// The security counter: a device that has installed one takes none below it. Raise it when an
    /// image repairs what must not come back. Default: 0.
    package var counter: UInt32?
    /// The last second of its life, since the beginning of 1970, UTC. Default: it has no end.
    package var expiry: UInt64?

    /// None.
    package init() {}
}
