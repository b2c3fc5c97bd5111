import BLEOTACore
import BLEOTAHost

/// Performs the receiver's tasks.
extension SimulatedFlashStore {
    /// Sets up the steps of a task, at least one, and its continuation.
    ///
    /// - Parameter isOld: whether the session that requested the task is over. In that case, only
    ///   a release has an effect.
    func prepare(_ task: StorageTask, bytes: [UInt8], isOld: Bool) {
        switch task {
        case .release(let isDiscarding): release(isDiscarding)
        case _ where isOld: steps = [.wait(.zero)]
        case .lookUp(let tag, let manifestByteCount): lookUp(tag, manifestByteCount)
        case .write(let object, let block): write(bytes, object, block)
        case .judge: judge()
        case .publish: publish()
        }
    }

    private func lookUp(_ tag: TransferTag, _ manifestByteCount: UInt32) {
        steps = [.wait(model.lookUp + settings.hashTime(of: hashedByteCount))]
        hashedByteCount = 0
        onward = { [unowned self] _ in
            if tag.rawValue == currentTag, let current {
                return .alreadyCurrent(digestPrefix: InMemoryTransfer.hash(current[...]))
            }
            guard manifestByteCount <= manifestByteCountMax else {
                return .refused(.tooLarge, detail: UInt64(manifestByteCountMax))
            }
            if tag == self.tag, manifest?.byteCount == Int(manifestByteCount) {
                return .planned(fields.map(imagePlan) ?? manifestPlan(keepsBlocks: true))
            }
            begin(tag, manifestByteCount)
            return nil
        }
    }

    /// Writes the record of a new transfer, before any of its data.
    private func begin(_ tag: TransferTag, _ manifestByteCount: UInt32) {
        let record = FlashLog.Record(
            kind: .begun,
            tag: tag.rawValue,
            byteCount: manifestByteCount
        )
        steps = [.flash(FlashLog.adding(record, to: flash))]
        onward = { [unowned self] _ in
            self.tag = tag
            fields = nil
            image = nil
            manifest = manifestRegion(Int(manifestByteCount))
            return .planned(manifestPlan(keepsBlocks: true))
        }
    }

    private func write(_ bytes: [UInt8], _ object: ObjectID, _ block: Int) {
        steps = [.wait(settings.hashTime(of: object == .image ? bytes.count : 0))]
        onward = { [unowned self] isHealed in
            var bytes = bytes
            if !isHealed, random.chance(model.memoryFault) {
                bytes[random.int(0...bytes.count - 1)] ^= UInt8(random.int(1...255))
            }
            let region = object == .manifest ? manifest! : image!
            precondition(region.range(ofBlock: block).count == bytes.count)
            if object == .image, InMemoryTransfer.hash(bytes[...]) != fields!.hash(ofBlock: block) {
                return .rejected(block: block)
            }
            program(bytes, object, block, of: region)
            return nil
        }
    }

    private func program(
        _ bytes: [UInt8],
        _ object: ObjectID,
        _ block: Int,
        of region: FlashRegion
    ) {
        let address = region.address(ofBlock: block)
        steps = region.pagesToErase(forBlock: block).map { .flash(.erase(page: $0)) }
        steps.append(.flash(.program(address: address, bytes: bytes)))
        onward = { [unowned self] _ in
            if object == .manifest { manifest!.wrote(block) } else { image!.wrote(block) }
            return .stored(block: block)
        }
    }

    private func judge() {
        steps = [.wait(model.judge + settings.hashTime(of: manifest!.byteCount))]
        onward = { [unowned self] _ in
            let bytes = flash[manifest!.addresses]
            guard InMemoryTransfer.hash(bytes) == tag?.rawValue else {
                return .manifestMismatch(manifestPlan(keepsBlocks: false))
            }
            let fields = InMemoryTransfer.Fields(Array(bytes))
            self.fields = fields
            return .planned(imagePlan(fields))
        }
    }

    private func publish() {
        isReceivingImage = false
        steps = [.wait(model.publish + settings.hashTime(of: image!.byteCount))]
        onward = { [unowned self] isHealed in
            let addresses = image!.addresses
            if !isHealed, random.chance(model.storageFault) {
                flash.damage(at: random.int(addresses.lowerBound...addresses.upperBound - 1))
            }
            guard InMemoryTransfer.hash(flash[addresses]) == fields!.imageHash else {
                condemnWrongBlocks()
                return .lookUpAgain
            }
            makeCurrent()
            return nil
        }
    }

    private func condemnWrongBlocks() {
        for block in image!.isHeld.indices
        where InMemoryTransfer.hash(flash[image!.addresses(ofBlock: block)])
            != fields!.hash(ofBlock: block)
        {
            image!.condemn(block)
        }
    }

    /// Makes the image current by writing a single record, which either succeeds or has no
    /// effect.
    private func makeCurrent() {
        let record = FlashLog.Record(
            kind: .current,
            tag: tag!.rawValue,
            byteCount: UInt32(image!.byteCount),
            slot: UInt32(freeSlot)
        )
        steps = [.flash(FlashLog.adding(record, to: flash))]
        onward = { [unowned self] _ in
            mount()
            return .published(digestPrefix: InMemoryTransfer.hash(current![...]))
        }
    }

    private func release(_ isDiscarding: Bool) {
        isReceivingImage = false
        steps = [.wait(.zero)]
        guard isDiscarding, let tag = currentTag else { return }
        // A record of a transfer with the tag of the current image means that there is no
        // transfer.
        let record = FlashLog.Record(kind: .begun, tag: tag, byteCount: 0)
        steps.append(.flash(FlashLog.adding(record, to: flash)))
        onward = { [unowned self] _ in
            mount()
            return nil
        }
    }

    // MARK: - Plans

    private func manifestPlan(keepsBlocks: Bool) -> ObjectPlan {
        if !keepsBlocks || !model.keepsPartialManifest { manifest!.condemnAll() }
        return plan(.manifest, manifest!)
    }

    private func imagePlan(_ fields: InMemoryTransfer.Fields) -> ObjectPlan {
        if image == nil { image = imageRegion(fields) }
        isReceivingImage = true
        return plan(.image, image!)
    }

    private func plan(_ id: ObjectID, _ region: FlashRegion) -> ObjectPlan {
        maps.plan(
            id,
            byteCount: region.byteCount,
            blockByteCount: region.blockByteCount,
            isHeld: region.isHeld
        )
    }
}
