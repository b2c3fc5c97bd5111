/// The sizes of a device's slots.
package struct SlotSizes: Sendable, Hashable {
    private struct Image: Hashable {
        let number: Int
        /// The maximum length of an image, if the device states it: the length of a slot, less the
        /// room for its trailer.
        let byteCountMax: Int?
        let slotByteCounts: [Int]
    }

    private let images: [Image]

    /// Parses the reply to ``SMPRequest/slotInfo``; `nil` if the reply is an error, for example
    /// because the device does not support the command, or if it has no list of images.
    package init?(_ reply: SMPReply) {
        guard reply.error == nil, let entries = reply.content["images"]?.elements else {
            return nil
        }
        images = entries.map { entry in
            Image(
                number: entry["image"]?.integer.map { Int(clamping: $0) } ?? 0,
                byteCountMax: entry["max_image_size"]?.integer.map { Int(clamping: $0) },
                slotByteCounts: (entry["slots"]?.elements ?? []).compactMap { slot in
                    slot["size"]?.integer.map { Int(clamping: $0) }
                }
            )
        }
    }

    /// The length of the longest file that the slots of an image can hold; `nil` if the device does
    /// not state it.
    package func imageByteCountMax(image: Int) -> Int? {
        guard let found = images.first(where: { $0.number == image }) else { return nil }
        return found.byteCountMax ?? found.slotByteCounts.max()
    }
}
