/// The devices that may install an image, and the time until which they may do so. A device that
/// does not know its own hardware or component refuses an image that states one.
package struct ImageRestrictions: Hashable, Sendable {
    /// The hardware that the image is for. Default: not stated.
    package var hardware: HardwareRange?
    /// The component of the device that the image is for, 1 to 64 bytes in UTF-8. Default: not
    /// stated.
    package var component: String?
    /// The security counter. A device that has installed a signed image with a counter rejects
    /// images with a lower one. Raise the counter to keep a device from going back to images
    /// with a known vulnerability. Default: 0.
    package var counter: UInt32?
    /// The last second in which the image may be installed, in Unix time. Default: the image does
    /// not expire.
    package var expiry: UInt64?

    /// No restrictions.
    package init() {}
}
