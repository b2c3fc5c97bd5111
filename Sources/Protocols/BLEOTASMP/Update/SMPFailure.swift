/// The reason an update over SMP fails.
package enum SMPFailure: Error, Sendable, Hashable {
    /// The device refuses a request.
    case refused(SMPError, SMPRequestPurpose)
    /// The upload can't continue.
    case upload(Uploader.Failure)
    /// The device does not answer a request.
    case silent
    /// The device's reply lacks the requested data.
    case notUnderstood(String)
    /// The image is larger than its slot.
    case tooLarge(slotByteCount: Int)
    /// The device has no slot for this image.
    case noSlot(image: Int)
    /// The device runs an image on trial. An upload would overwrite the image to return to.
    case onTrial(version: String)
    /// The device is to run another image at its next restart. An upload would overwrite it.
    case pending(version: String)
    /// After the upload, no slot has the image.
    case wrongImage
    /// The device returned to the image that it ran before.
    case reverted(version: String)
    /// The device restarted, and still has to swap its images.
    case notSwapped
    /// The device did not come back, or did not confirm the image, in time.
    case notInTime
}

/// What a request was for, as a clause after "The device refused to".
package enum SMPRequestPurpose: String, Sendable, Hashable {
    case images = "list its images"
    case upload = "accept the image"
    case mark = "boot the image at its next restart"
    case reset = "restart"
    case confirm = "keep the image"
    case erase = "erase its slot"
    case echo = "send the text back"
    case facts = "describe itself"
}
