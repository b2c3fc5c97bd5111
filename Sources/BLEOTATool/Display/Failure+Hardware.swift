import BLEOTA
import BLEOTAManifest
import BLEOTAWire

extension Failure {
    /// The failure of a push. If the hardware is the reason, its sentence says which the image has.
    init(_ error: TransferError, pushing firmware: Firmware) {
        guard case .refused(.wrongHardware, _) = error.problem else {
            self.init(error)
            return
        }
        self.init(
            ExitStatus(error),
            firmware.manifest.hardware.map { hardware in
                "The image is for \(hardware), and the receiver states other hardware or none; "
                    + "push an image for the receiver's hardware, or start bleota receive with "
                    + "--hardware for one revision that the image is for."
            }
                ?? "The receiver states its hardware, and the image states none; sign the image "
                + "with --hardware, or start bleota receive without it."
        )
    }
}
