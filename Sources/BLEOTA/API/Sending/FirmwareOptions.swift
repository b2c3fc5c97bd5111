import SystemPackage

/// Options for reading firmware: which part of the file to send, what the manifest states, and in
/// which variants the image may be sent.
///
/// A bundle already specifies all of this and accepts none of these options.
///
/// ```swift
/// var options = FirmwareOptions()
/// options.version = "2.1.0"
/// options.hardware = HardwareRange(name: "acme/lamp", revisions: 2...5)
/// let firmware = try await Firmware(contentsOf: "lamp.bin", options: options)
/// ```
public struct FirmwareOptions: Sendable {
    /// The region of an Intel HEX file to send, counted from 1 in ascending order of address.
    /// Default: the largest region. No other format has regions.
    public var region: Int?
    /// Whether the file is sent as raw bytes, whatever its content. Default: no; the content
    /// determines the format.
    public var isRaw = false

    /// The version of the firmware, 1 to 64 bytes in UTF-8. Default: the version in the header
    /// of an MCUboot image; otherwise none.
    public var version: String?
    /// The hardware that the image is for. Default: not stated. A device that knows its own
    /// hardware rejects an image that is signed by a trusted key but states no hardware.
    public var hardware: HardwareRange?
    /// The component of the device that the image is for, 1 to 64 bytes in UTF-8. Default: not
    /// stated; the image is for any component.
    public var component: String?
    /// The security counter. A device that has installed a signed image with a counter rejects
    /// images with a lower one. Raise the counter to keep a device from going back to images
    /// with a known vulnerability. Default: 0.
    public var securityCounter: UInt32?
    /// The last second in which the image may be installed, in Unix time. Default: the image does
    /// not expire.
    public var expirySecondsSince1970: UInt64?

    /// Whether the image is also offered compressed, if that makes it at least 5 % smaller.
    /// Default: yes. A receiver that can't decompress it gets the unencoded image.
    public var isCompressed = true
    /// The public keys of the recipients for whom the image is sealed, at most 3. Nobody else
    /// can read a sealed image. Default: none; the image is not sealed.
    public var recipients: [SealingKey] = []
    #if Delta
    /// The path of the image that devices currently run. Those devices get a patch against it;
    /// all others get the whole image. Default: none.
    public var patchBase: String?
    #endif

    /// The defaults.
    public init() {}

    /// Whether any option is set that a bundle specifies itself.
    var saysSomething: Bool {
        #if Delta
        if patchBase != nil { return true }
        #endif
        return restrictions != ImageRestrictions() || version != nil || region != nil
            || !recipients.isEmpty || !isCompressed
    }

    var restrictions: ImageRestrictions {
        var restrictions = ImageRestrictions()
        restrictions.hardware = hardware
        restrictions.component = component
        restrictions.counter = securityCounter
        restrictions.expiry = expirySecondsSince1970
        return restrictions
    }

    func variants() throws(FirmwareError) -> VariantOptions {
        var options = VariantOptions()
        options.isCompressed = isCompressed
        options.recipients = recipients
        #if Delta
        if let patchBase { options.base = try FirmwareFile(contentsOf: FilePath(patchBase)) }
        #endif
        return options
    }
}
