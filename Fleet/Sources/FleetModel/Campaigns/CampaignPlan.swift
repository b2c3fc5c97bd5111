/// What an operator wants: it never changes once the campaign has begun.
package struct CampaignPlan: Sendable, Hashable {
    package let id: CampaignID
    /// The image bundle.
    package let image: Digest
    /// The SHA-256 of the image in the bundle, as devices run it: what receipts state.
    package let content: Digest
    /// The version that devices run afterwards.
    package let version: FirmwareVersion
    package let selection: Selection
    package let stages: StagePlan
    /// The campaign stops when more than this share of a stage's devices have failed.
    package let failuresAllowed: Share
    /// `nil` for any time.
    package let window: DayWindow?
    package let retries: RetryPolicy
    package let receipts: ReceiptRule

    package init(
        id: CampaignID,
        image: Digest,
        content: Digest,
        version: FirmwareVersion,
        selection: Selection,
        stages: StagePlan,
        failuresAllowed: Share,
        window: DayWindow?,
        retries: RetryPolicy,
        receipts: ReceiptRule = .optional
    ) {
        self.id = id
        self.image = image
        self.content = content
        self.version = version
        self.selection = selection
        self.stages = stages
        self.failuresAllowed = failuresAllowed
        self.window = window
        self.retries = retries
        self.receipts = receipts
    }

    /// Whether the campaign is for a device that it has given no job yet.
    package func awaits(_ device: DeviceRecord) -> Bool {
        device.job?.campaign != id && selection.has(device, before: version)
    }
}
