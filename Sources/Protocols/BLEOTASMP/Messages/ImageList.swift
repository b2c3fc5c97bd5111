/// The images in a device's slots.
package struct ImageList: Sendable, Hashable {
    package struct Slot: Sendable, Hashable {
        /// The number of the image, which is 0 on a device with a single image.
        package var imageNumber: Int
        /// The number of the slot; slot 0 usually has the running image.
        package var number: Int
        package var version: String
        /// The hash in the TLVs of the image; empty if the device does not report it.
        package var hash: [UInt8]
        /// Whether the device can boot the image.
        package var isBootable: Bool
        /// Whether the device boots the image at its next restart.
        package var isPending: Bool
        /// Whether the image is confirmed, so the device continues to boot it.
        package var isConfirmed: Bool
        /// Whether the image runs.
        package var isActive: Bool
        /// Whether the device boots the image permanently from its next restart on, without a
        /// trial.
        package var isPermanent: Bool
    }

    package var slots: [Slot]

    package init(slots: [Slot]) { self.slots = slots }

    /// Parses the reply to ``SMPRequest/imageState``; `nil` if it has no list. An entry without a
    /// slot number is left out.
    package init?(_ reply: SMPReply) {
        guard let entries = reply.content["images"]?.elements else { return nil }
        slots = entries.compactMap { entry in
            guard let number = entry["slot"]?.integer else { return nil }
            func flag(_ name: String) -> Bool { entry[name]?.boolean ?? false }
            return Slot(
                imageNumber: entry["image"]?.integer.map(Int.init(clamping:)) ?? 0,
                number: Int(clamping: number),
                version: entry["version"]?.text ?? "",
                hash: entry["hash"]?.bytes ?? [],
                isBootable: flag("bootable"),
                isPending: flag("pending"),
                isConfirmed: flag("confirmed"),
                isActive: flag("active"),
                isPermanent: flag("permanent")
            )
        }
    }

    /// The slot whose image runs.
    package func active(image: Int) -> Slot? {
        slots.first { $0.imageNumber == image && $0.isActive }
    }

    /// The slots that can be overwritten, in the order of their numbers.
    package func spare(image: Int) -> [Slot] {
        slots.filter { $0.imageNumber == image && !$0.isActive }
    }
}
