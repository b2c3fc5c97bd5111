import BLEOTA

extension TransferError {
    /// The error of a push that failed for this reason.
    init(smp failure: SMPFailure) {
        switch failure {
        case .silent, .upload(.silent): self.init(.silent)
        case .upload(.stalled): self.init(.stalled)
        case .upload(.impossibleOffset): self.init(.protocolViolated)
        case .notUnderstood(let what): self.init(.peerNotUnderstood("The device sent \(what)."))
        case .wrongImage: self.init(.wrongReceipt)
        case .reverted: self.init(.notRunning(.reverted))
        case .notSwapped: self.init(.notRunning(.failed))
        case .notInTime: self.init(.notRunning(.notInTime))
        default: self.init(.refusedByDevice(failure.refusal))
        }
    }
}

extension SMPFailure {
    /// The refusal, for a failure that is the device's decision.
    fileprivate var refusal: DeviceRefusal {
        switch self {
        case .refused(let error, let purpose):
            DeviceRefusal(
                error.text,
                "The device refused to \(purpose.rawValue), because \(error.cause)",
                remedy: error.remedy,
                isRetryable: error.isTransient
            )
        case .upload(.restartsTooOften):
            DeviceRefusal(
                "restarts",
                "The device lost the upload again and again",
                remedy: "check whether it restarts, or whether another program is uploading to it",
                isRetryable: true
            )
        case .upload(.bufferTooShort):
            DeviceRefusal(
                "buffer",
                "The device's buffers are too small for any part of an image",
                remedy: "build its firmware with a larger CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE"
            )
        case .tooLarge(let slotByteCount):
            DeviceRefusal(
                "size",
                "The image does not fit in its slot, which holds \(slotByteCount) bytes",
                remedy: "build a smaller image"
            )
        case .noSlot(let image):
            DeviceRefusal(
                "image \(image)",
                "The device has no image \(image)",
                remedy: "list the images of the device, and choose one of them"
            )
        case .onTrial(let version):
            DeviceRefusal(
                "trial",
                "The device is running version \(version) on trial, and an upload would overwrite "
                    + "the image that it would return to",
                remedy: "confirm the running image, or restart the device to return to the "
                    + "previous one"
            )
        case .pending(let version):
            DeviceRefusal(
                "pending",
                "The device is to run version \(version) at its next restart, and an upload would "
                    + "overwrite that version",
                remedy: "restart the device to run that version"
            )
        default: DeviceRefusal("\(self)", "The update failed", remedy: "try again")
        }
    }
}

extension SMPError {
    /// What to do, as a clause after a semicolon.
    fileprivate var remedy: String {
        switch (group, code) {
        case (nil, Code.notSupported):
            "build its firmware with MCUmgr's image management"
        case (nil, Code.denied):
            "pair with the device, or build its firmware to permit the operation"
        case (nil, _) where isTransient: "try again in a moment"
        case (1?, 9):
            "confirm the running image, or restart the device to return to the previous one"
        case (1?, 23): "push a signed MCUboot image"
        case (1?, 25): "build the image for the address of its slot"
        case (1?, 27): "push a newer image"
        case (1?, 28), (1?, 34): "restart the device, then try again"
        case (1?, 30): "build a smaller image"
        case (1?, 33): "choose an image that is not running"
        default: "check the device's log"
        }
    }
}
