import SystemPackage

extension FirmwareError {
    /// The error for a system call that failed to open or inspect a file. Its message states
    /// what the user can do.
    static func opening(_ fileName: String, _ error: Errno) -> FirmwareError {
        switch error {
        case .noSuchFileOrDirectory where fileName.isEmpty:
            FirmwareError(
                .missing,
                fileName: fileName,
                "The path is empty; choose a firmware file."
            )
        case .noSuchFileOrDirectory:
            FirmwareError(
                .missing,
                fileName: fileName,
                "\(fileName) does not exist; check the path."
            )
        case .notDirectory:
            FirmwareError(
                .missing,
                fileName: fileName,
                "\(fileName) does not exist, because part of its path is not a directory; check "
                    + "the path."
            )
        case .permissionDenied, .notPermitted:
            FirmwareError(
                .unreadable,
                fileName: fileName,
                "\(fileName) is not readable by this user; change its permissions, or copy it "
                    + "elsewhere."
            )
        default:
            FirmwareError(
                .io,
                fileName: fileName,
                "\(fileName) can't be opened: \(error); fix the cause, then try again."
            )
        }
    }

    /// The error for a read that failed although the file had been opened.
    static func reading(_ fileName: String, _ error: Errno) -> FirmwareError {
        FirmwareError(
            .io,
            fileName: fileName,
            "\(fileName) can't be read: \(error); check its disk, then try again."
        )
    }
}
