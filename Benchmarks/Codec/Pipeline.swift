import BLEOTACore
import BLEOTAWire
import Benchmark

/// What each frame goes through between an image and a store, in parts and as a whole.
struct Pipeline {
    let sample: Sample
    let device: Device

    /// The checksum of every frame.
    func check() {
        var all: UInt16 = 0
        for index in 0..<sample.chunkCount {
            var checksum = Checksum()
            checksum.update(sample.frame(index).bytes)
            all ^= checksum.value
        }
        blackHole(all)
    }

    /// Makes the frame of every chunk.
    func packetize() {
        var all = 0
        for index in 0..<sample.packetizer.chunkCount { all += sample.makeFrame(index).count }
        blackHole(all)
    }

    /// Takes every frame apart and checks it.
    func decode() {
        var intactCount: UInt32 = 0
        for index in 0..<sample.chunkCount {
            if decodedPayload(of: sample.frame(index), near: intactCount) != nil {
                intactCount += 1
            }
        }
        precondition(intactCount == UInt32(sample.chunkCount))
    }

    /// Puts every chunk into its block, and frees each block that is whole.
    func reassemble() {
        var reassembler = makeReassembler()
        for index in 0..<sample.packetizer.chunkCount {
            let range = sample.packetizer.byteRange(ofChunk: index)
            place(
                UnsafeRawBufferPointer(rebasing: sample.image[range]),
                at: index,
                in: &reassembler
            )
        }
        precondition(reassembler.isStored)
    }

    /// All of it, for one frame after the other.
    ///
    /// - Parameter store: gets each block with its number.
    func run(store: (Int, UnsafeRawBufferPointer) -> Void = { _, _ in }) {
        var reassembler = makeReassembler()
        for index in 0..<sample.packetizer.chunkCount {
            let frame = sample.makeFrame(index)
            guard let payload = decodedPayload(of: frame, near: reassembler.cumulative) else {
                preconditionFailure("a frame is not intact")
            }
            place(payload, at: index, in: &reassembler, store: store)
        }
        precondition(reassembler.isStored)
    }

    /// Stops the program unless the image comes out as it went in.
    func prove() {
        var byteCount = 0
        run { block, bytes in
            let start = block * Device.blockByteCount
            precondition(bytes.elementsEqual(sample.image[start..<start + bytes.count]))
            byteCount += bytes.count
        }
        precondition(byteCount == sample.image.count)
    }

    private func makeReassembler() -> Reassembler {
        Reassembler(
            plan: device.plan(imageByteCount: sample.packetizer.objectByteCount),
            chunkSize: sample.packetizer.chunkSize,
            memory: device.memory
        )!
    }

    private func decodedPayload(
        of datagram: UnsafeRawBufferPointer,
        near cumulative: UInt32
    ) -> UnsafeRawBufferPointer? {
        guard let frame = try? DataFrame(decoding: datagram.bytes),
            let index = frame.chunkIndex(near: cumulative),
            DataFrame.isIntact(datagram.bytes, chunkIndex: index, header: sample.header)
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: datagram[frame.payloadRange])
    }

    private func place(
        _ payload: UnsafeRawBufferPointer,
        at index: UInt32,
        in reassembler: inout Reassembler,
        store: (Int, UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) {
        let placement = reassembler.place(payload.bytes, at: index)
        precondition(placement == .placed)
        while let block = reassembler.nextCompleteBlock() {
            reassembler.withBytes(ofBlock: block) { bytes in
                bytes.withUnsafeBytes { store(block, $0) }
            }
            reassembler.stored(block)
        }
    }
}
