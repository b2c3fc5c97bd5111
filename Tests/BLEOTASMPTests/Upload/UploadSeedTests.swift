import BLEOTATestSupport
import Testing

@testable import BLEOTASMP

/// Uploads to devices that drop, lose, refuse and forget, by seeds.
@Suite struct UploadSeedTests {
    @Test("whatever the device drops, loses, refuses or forgets, it has the image in the end")
    func faults() throws {
        for seed in TestSeed.rounds(TestScope.choose(300, full: 5_000)) {
            var random = TestSeed(seed)
            var device = ModelDevice(seed: seed)
            device.faults = ModelDevice.Faults(
                dropPercent: random.below(20),
                lostReplyPercent: random.below(20),
                busyPercent: random.below(20),
                restartPermille: random.below(5)
            )
            var run = UploadRun(
                imageByteCount: 1 + random.below(30_000),
                limits: BufferLimits(
                    packetByteCountMax: 128 + random.below(2_000),
                    requestCountMax: 1 + random.below(8)
                ),
                isReliable: false,
                device: device
            )
            do {
                try run.run()
                let (isComplete, image, arrived) = (run.isComplete, run.image, run.device.image)
                #expect(isComplete, "seed \(seed) did not end")
                #expect(arrived == image, "seed \(seed) arrived changed")
            } catch Uploader.Failure.restartsTooOften where device.faults.restartPermille > 0 {
                // A device that forgets this often is given up.
            } catch {
                Issue.record("seed \(seed): \(error) at \(run.now), after \(run.events.suffix(5))")
            }
        }
    }
}
