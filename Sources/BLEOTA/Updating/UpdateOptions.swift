/// Options of a push by any protocol.
package struct UpdateOptions: Sendable {
    /// What happens to an image that a device has verified.
    package enum Activation: Sendable, Hashable, CaseIterable {
        /// The device restarts into the image on trial. If the device can then be reached and runs
        /// the image, the image is confirmed.
        case testThenConfirm
        /// The device restarts into the image on trial. It returns to the previous image at its
        /// next restart unless something confirms the new one.
        case test
        /// The device restarts into the image for good, without a trial.
        case confirm
        /// The device keeps the image and does not boot it.
        case keep
    }

    /// The limits, the flow control and the logger.
    package var push: PushOptions
    /// What happens to the verified image.
    package var activation = Activation.testThenConfirm
    /// Which of the device's images to replace, counted from 0.
    package var imageNumber = 0
    /// Whether the device is to refuse an image whose version is not higher than that of its own
    /// image.
    package var isUpgradeOnly = false
    /// Whether the push may overwrite an image that is on trial or about to go on trial.
    package var isForced = false

    /// What a protocol must be able to do for these options.
    var neededAbilities: UpdateAbilities {
        var needed: UpdateAbilities = []
        if push.confirmationLimit != nil { needed.insert(.confirmation) }
        if activation != .testThenConfirm || imageNumber != 0 || isUpgradeOnly {
            needed.insert(.activation)
        }
        return needed
    }

    package init(push: PushOptions = PushOptions()) { self.push = push }
}
