import SystemPackage

/// What firmware is to be, when a file is read: which part of it, what its manifest says, and in
/// which variants it may travel.
///
/// A bundle has all that already, and takes none of these options.
///
/// ```swift
/// var options = FirmwareOptions()
/// options.version = "2.1.0"
/// options.hardware = HardwareRange(name: "acme/lamp", revisions: 2...5)
/// let firmware = try await Firmware(contentsOf: "lamp.bin", options: options)
/// ```
public struct FirmwareOptions: Sendable {
    /// Which region of an Intel HEX file is sent, counted from 1 in ascending order of address.
    /// Default: the largest. Other formats have none.
    public var region: Int?
    /// Whether the file is taken as raw bytes, whatever is in it. Default: no; its content tells.
    public var isRaw = false

    /// The version, 1 to 64 bytes in UTF-8. Default: the one that an MCUboot image states itself,
    /// else none.
    public var version: String?
    /// The hardware that the image is for. Default: not stated; a device that knows its hardware
    /// takes the image all the same unless it asks for more.
    public var hardware: HardwareRange?
    /// The part of the device that the image is for, 1 to 64 bytes in UTF-8. Default: the only one.
    public var component: String?
    /// The security counter: a device that has installed an image with one takes none below it.
    /// Raise it when an image repairs what must not come back. Default: 0.
    public var securityCounter: UInt32?
    /// The last second of the image's life, since the beginning of 1970, UTC. Default: no end.
    public var expirySecondsSince1970: UInt64?

    /// Whether the image travels compressed where that makes it smaller by a twentieth or more.
    /// Default: yes. A receiver that can't decompress gets the image as it is.
    public var isCompressed = true
    /// For whom the image is sealed, up to 3; nobody else can read it then. Default: nobody, and it
    /// is not sealed.
    public var recipients: [SealingKey] = []
    #if Delta
    /// The path of the image that devices have now, so that those get a patch against it, and all
    /// others the whole. Default: none.
    public var patchBase: String?
    #endif

    /// The defaults.
    public init() {}

    /// Whether anything is asked that a bundle says itself.
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
