import BLEOTA

extension TransferError {
    /// The error of a push that failed for this reason.
    init(esp failure: ESPFailure) {
        switch failure {
        case .startRefused: self.init(.refusedByDevice(.start))
        case .stopRefused: self.init(.refusedByDevice(.stop))
        case .damaged(let byte): self.init(.refusedByDevice(.damaged(atByte: byte)))
        case .leftOver: self.init(.refusedByDevice(.leftOver))
        case .unchecked: self.init(.refusedByDevice(.unchecked))
        case .silent: self.init(.silent)
        case .notUnderstood(let what): self.init(.peerNotUnderstood("The device sent \(what)."))
        }
    }
}

extension DeviceRefusal {
    /// The refusal of Start, for which the device gives no reason. The most likely reason is a
    /// partition that is too small.
    fileprivate static let start = DeviceRefusal(
        "ESP OTA, start rejected",
        "The device refused to start an update",
        remedy: "check that the image fits in the device's OTA partition, and restart the device"
    )

    fileprivate static let stop = DeviceRefusal(
        "ESP OTA, stop rejected",
        "The device has every sector, but refused to end the update",
        remedy: "check that the image is for this device"
    )

    fileprivate static let leftOver = DeviceRefusal(
        "ESP OTA, wrong sector index",
        "The device is in the middle of another update, and does not drop it",
        remedy: "restart the device, then try again",
        isRetryable: true
    )

    fileprivate static let unchecked = DeviceRefusal(
        "ESP OTA, CRC ignored",
        "The device stores firmware without checking its CRC, so a lost packet ends the push",
        remedy: "restart the device, then try again",
        isRetryable: true
    )

    fileprivate static func damaged(atByte byte: Int) -> DeviceRefusal {
        DeviceRefusal(
            "ESP OTA, CRC error",
            "The firmware arrives damaged at byte \(byte) each time it is sent",
            remedy: "try again, and check the flash of the device if that does not help",
            isRetryable: true
        )
    }
}
