/// What the fleet decides of a device: its job, and which gateway has it. The active controller
/// alone writes it; what gateways say is elsewhere (``Sighting``, ``Report``).
package struct DeviceRecord: Sendable, Hashable {
    package let id: DeviceID
    package let hardware: HardwareName
    package var group: GroupName?
    /// What it runs, as far as is known.
    package var version: FirmwareVersion
    /// The last job, also after its end.
    package private(set) var job: Job?
    /// The gateway that has it for its job.
    package private(set) var lease: Lease?
    /// The turn of the last lease.
    package private(set) var turn = Turn.none
    /// The device's public key, once an operator or a campaign has enrolled it.
    package var key: DeviceKey?
    /// The nonce of the present lease.
    package private(set) var nonce: Nonce?

    package init(
        id: DeviceID,
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion
    ) {
        self.id = id
        self.hardware = hardware
        self.group = group
        self.version = version
    }

    /// Takes over what was stored; `nil` if the lease isn't the last, or is for nothing.
    package init?(
        _ record: DeviceRecord,
        job: Job?,
        lessee: GatewayID?,
        turn: Turn,
        nonce: Nonce? = nil
    ) {
        self = record
        self.job = job
        self.turn = turn
        self.nonce = nonce
        guard let lessee else {
            if nonce != nil { return nil }
            return
        }
        guard turn > .none, let job, job.outcome == nil else { return nil }
        lease = Lease(to: lessee, turn)
    }

    /// Gives the device a job, unless it has one that hasn't ended, or had one of this campaign.
    ///
    /// - Parameter isFree: whether the campaign of its last job is over, so that a job that still
    ///   waits for another attempt never gets one. A gateway keeps what it has.
    /// - Returns: whether it was given.
    package mutating func assign(
        _ campaign: CampaignID,
        at now: Moment,
        isFree: Bool = false
    ) -> Bool {
        if let job {
            guard lease == nil, job.campaign != campaign, isFree || job.outcome != nil else {
                return false
            }
        }
        job = Job(for: campaign, at: now)
        return true
    }

    /// Lends the device to a gateway for its next attempt, unless another has it, or no attempt is
    /// due.
    ///
    /// - Parameter nonce: what a receipt has to cover; `nil` if none is wanted.
    /// - Returns: whether it was lent.
    package mutating func lend(
        to gateway: GatewayID,
        at now: Moment,
        _ retries: RetryPolicy,
        nonce: Nonce? = nil
    ) -> Bool {
        guard lease == nil, job?.attemptDue(at: now, retries) != nil, let next = turn.next else {
            return false
        }
        turn = next
        lease = Lease(to: gateway, next)
        self.nonce = nonce
        return true
    }

    /// Whether the device is to be lent with a nonce, so that a success counts only with a receipt.
    package func needsReceipt(for plan: CampaignPlan) -> Bool {
        key != nil || plan.receipts != .optional
    }

    /// Takes in what a gateway reports. Ignores it unless the gateway has the device, for this
    /// turn: others may be late, or lie. A success without the evidence that it needs counts as a
    /// failed attempt.
    ///
    /// - Parameter evidence: what the receipt in the report is worth.
    /// - Returns: whether the gateway has the device.
    @discardableResult
    package mutating func take(
        _ report: Report,
        by gateway: GatewayID,
        at now: Moment,
        for plan: CampaignPlan,
        evidence: Evidence = .unsigned
    ) -> Bool {
        guard let lease, lease == Lease(to: gateway, report.turn),
            job?.campaign == report.campaign, plan.id == report.campaign
        else { return false }
        switch report.news {
        case .working: return true
        case .succeeded, .proved:
            if let why = objection(to: evidence, for: plan) {
                job?.handle(.failed(why, at: now), plan.retries)
                break
            }
            if nonce != nil, case .signed(let key) = evidence {
                job?.succeedSigned(plan.retries)
                if plan.receipts == .enrolling { self.key = self.key ?? key }
            } else {
                job?.handle(.succeeded, plan.retries)
            }
            version = plan.version
        case .failed(let why): job?.handle(.failed(why, at: now), plan.retries)
        case .returned: break
        }
        endLease()
        return true
    }

    /// Why a success doesn't count; `nil` if it does.
    private func objection(to evidence: Evidence, for plan: CampaignPlan) -> Failure? {
        guard nonce != nil else { return nil }
        switch evidence {
        case .signed(let signer) where signer == key: return nil
        case .signed where key == nil && plan.receipts == .enrolling: return nil
        case .signed where key == nil: return Failure(.refused, "the device's key isn't enrolled")
        case .signed, .forged: return Failure(.gateway, "the device's receipt is not valid")
        case .unsigned: return Failure(.refused, "the device signed no receipt")
        }
    }

    /// Ends a lease whose gateway is silent, or gives the device back. The attempt counts as none.
    package mutating func endLease() {
        lease = nil
        nonce = nil
    }

    /// What the gateway that has the device is to do; `nil` if none has it.
    package func order(for plan: CampaignPlan) -> Order? {
        guard let lease, job?.campaign == plan.id else { return nil }
        return Order(
            campaign: plan.id,
            turn: lease.turn,
            image: plan.image,
            version: plan.version,
            nonce: nonce
        )
    }
}
