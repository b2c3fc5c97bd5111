import BLEOTAManifest

/// An image together with its manifest, in one or more forms: all that a sender needs, computed
/// once for any number of transfers.
public struct PreparedImage: Sendable {
    /// The image.
    public let image: FirmwareImage
    /// As what it is sent: a receiver that can't take the first is offered the next. At least one.
    public let forms: [ImageForm]

    /// Hashes the image in pieces of 64 KiB, and compresses one of up to 64 MiB if that helps, for
    /// which it is in memory, and the compressed form stays there (see ``ImageForms``). A bundle
    /// has its manifests and forms; for everything else they are made.
    ///
    /// - Parameter isCompressed: false if an image that is no bundle is to be sent as it is.
    /// - Throws: an ``ImageError`` when it can't be read or has changed, or is a bundle whose image
    ///   is not the one of its manifest.
    public init(_ image: FirmwareImage, isCompressed: Bool = true) throws(ImageError) {
        guard !image.bundledForms.isEmpty else {
            var options = ImageForms()
            options.isCompressed = isCompressed
            try self.init(image, version: nil, restrictions: ImageRestrictions(), forms: options)
            return
        }
        //= BUNDLE-2: and MUST check each form against the hashes in its manifest before it sends or
        //= reports it.
        for form in image.bundledForms where try !form.isRight() {
            throw ImageBundle.malformed(
                image.fileName,
                "its image does not have the hashes in its manifest"
            )
        }
        self.init(image, image.bundledForms)
    }

    /// Describes an image anew. A bundle describes itself, and is not taken.
    ///
    /// - Parameters:
    ///   - version: 1 to 64 bytes in UTF-8; `nil` for the one that the image states itself.
    ///   - restrictions: which devices may install it.
    ///   - forms: as what it is to be sent.
    ///   - keys: who signs it, each with its own signature.
    public init(
        _ image: FirmwareImage,
        version: String?,
        restrictions: ImageRestrictions,
        forms: ImageForms = ImageForms(),
        signedBy keys: [SigningKey] = []
    ) throws(ImageError) {
        precondition(image.bundledForms.isEmpty, "a bundle describes itself")
        let describe = ImageDescription(
            image,
            version: version ?? image.version,
            restrictions: restrictions
        )
        self.init(image, try Self.signing(try forms.make(of: describe), of: image, with: keys))
    }

    private init(_ image: FirmwareImage, _ forms: [ImageForm]) {
        self.image = image
        self.forms = forms
    }

    /// The manifest of the form that is offered first.
    public var manifest: Manifest { forms[0].manifest }

    /// The form that most receivers can take: the last, which is the image as it is where there is
    /// such a form.
    var plainest: ImageForm { forms[forms.count - 1] }

    /// The same with more signatures.
    ///
    /// - Throws: an ``ImageError`` with the code `tooManySignatures` where there is no room.
    public func signed(by keys: [SigningKey]) throws(ImageError) -> PreparedImage {
        PreparedImage(image, try Self.signing(forms, of: image, with: keys))
    }

    private static func signing(
        _ forms: [ImageForm],
        of image: FirmwareImage,
        with keys: [SigningKey]
    ) throws(ImageError) -> [ImageForm] {
        do throws(ManifestError) {
            var signed: [ImageForm] = []
            for form in forms { signed.append(try form.signed(by: keys)) }
            return signed
        } catch {
            let name = ImageName.shown(image.name)
            throw ImageError(
                .tooManySignatures,
                fileName: name,
                "\(name) has no room for one more signature: a manifest holds "
                    + "\(ManifestLayout.signatureByteCountMax) bytes of them; sign with fewer keys."
            )
        }
    }
}
