import BLEOTA

extension TransferError {
    /// The error of a push that failed for this reason.
    init(dfu failure: DFUFailure) {
        switch failure {
        case .refused(let result, let step):
            self.init(.refusedByDevice(.secure(result, step)))
        case .refusedByLegacy(let result, let step):
            self.init(.refusedByDevice(.legacy(result, step)))
        case .silent: self.init(.silent)
        case .notUnderstood(let what): self.init(.peerNotUnderstood("The device sent \(what)."))
        case .damaged(let byte): self.init(.refusedByDevice(.damaged(atByte: byte)))
        case .lost:
            self.init(.linkLost(.failed("Part of the firmware was lost on the way to the device.")))
        case .leftOver:
            self.init(
                .linkLost(
                    .failed("The device is in the middle of another update, and did not restart.")
                )
            )
        }
    }

    /// The error of a push whose GATT operation failed.
    init(dfu error: GATTError) {
        guard case .refused(let code) = error, let refusal = DeviceRefusal(attError: code) else {
            self.init(gatt: error)
            return
        }
        self.init(.refusedByDevice(refusal))
    }

    /// Whether the device refuses an image because it already has a later version.
    var isOldVersion: Bool {
        guard case .refusedByDevice(let refusal) = problem else { return false }
        return refusal.code == DeviceRefusal.secureCode(.oldVersion)
    }
}

extension DeviceRefusal {
    /// The refusal behind an ATT error; `nil` for an error that says nothing about the device.
    fileprivate init?(attError code: UInt8) {
        let insufficientAuthorization: UInt8 = 8
        guard code == insufficientAuthorization else { return nil }
        self.init(
            "ATT error 0x08",
            "The device does not permit firmware updates now",
            remedy: "permit them on the device, for example in the settings of InfiniTime",
            isRetryable: true
        )
    }

    static func otherFormat(than format: DFUPackage.Format) -> DeviceRefusal {
        DeviceRefusal(
            format.other.rawValue,
            "The device speaks \(format.other.rawValue), but the package is for \(format.rawValue)",
            remedy: "build a package with '\(format.other.buildCommand)'"
        )
    }

    static func damaged(atByte byte: Int) -> DeviceRefusal {
        DeviceRefusal(
            "CRC-32",
            "The firmware arrives damaged at byte \(byte) each time it is sent",
            remedy: "try again, and check the flash of the device if that does not help",
            isRetryable: true
        )
    }

    /// The application's answer to the request to jump.
    static func buttonless(_ result: UInt8) -> DeviceRefusal {
        let (busy, notBonded): (UInt8, UInt8) = (6, 7)
        let cause =
            switch result {
            case busy: ", because it is busy"
            case notBonded: ", because it has no bond with this machine"
            default: ""
            }
        return DeviceRefusal(
            "Buttonless DFU, result \(hex(result))",
            "The device refused to \(DFUStep.bootloader.rawValue)" + cause,
            remedy: result == notBonded
                ? "pair with the device"
                : "try again, or start the bootloader with the device's button",
            isRetryable: result == busy
        )
    }

    static func secure(_ result: SecureResult, _ step: DFUStep) -> DeviceRefusal {
        DeviceRefusal(
            secureCode(result),
            "The device refused to \(step.rawValue), because \(result.cause)",
            remedy: result.remedy
        )
    }

    static func secureCode(_ result: SecureResult) -> String {
        result.extendedCode.map { "Secure DFU, extended error \(hex($0))" }
            ?? "Secure DFU, result \(hex(result.code))"
    }

    static func legacy(_ result: LegacyResult, _ step: DFUStep) -> DeviceRefusal {
        DeviceRefusal(
            "Legacy DFU, result \(hex(result.rawValue))",
            "The device refused to \(step.rawValue), because \(result.cause(of: step))",
            remedy: result.remedy(of: step),
            isRetryable: result == .wrongCRC || result == .invalidState
        )
    }

    private static func hex(_ code: UInt8) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return "0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
