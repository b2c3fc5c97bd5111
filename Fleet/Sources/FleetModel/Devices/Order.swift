/// What a gateway is to do with a device that it has: it follows from the device's record and the
/// campaign alone, and goes when the lease ends.
package struct Order: Sendable, Hashable {
    package let campaign: CampaignID
    package let turn: Turn
    /// The image bundle.
    package let image: Digest
    /// The version that the device runs afterwards.
    package let version: FirmwareVersion
    /// What the device's receipt has to cover; `nil` if none is wanted.
    package let nonce: Nonce?

    package init(
        campaign: CampaignID,
        turn: Turn,
        image: Digest,
        version: FirmwareVersion,
        nonce: Nonce? = nil
    ) {
        self.campaign = campaign
        self.turn = turn
        self.image = image
        self.version = version
        self.nonce = nonce
    }
}
