// Pushes a firmware file to one device and shows how far it is. Ctrl-C stops it cleanly: the same
// push resumes later from what the device has stored.
//
//     swift run Push firmware.bin /run/device.socket       a receiver on this machine
//     swift run Push firmware.bin --bluetooth kitchen      a device in radio range
import BLEOTA
import BLEOTABlueZ
import Dispatch
import Glibc

@main struct Push {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard (2...3).contains(arguments.count) else {
            print("usage: Push FILE SOCKET | Push FILE --bluetooth NAME")
            exit(2)
        }
        // README: errors
        do {
            if arguments[1] == "--bluetooth" {
                try await push(arguments[0], toDeviceNamed: arguments.last)
            } else {
                try await pushWithProgress(arguments[0], to: .socket(arguments[1]))
            }
        } catch let error as TransferError where error.isRetryable {
            // What the device has stored stays there, and the same push resumes from it.
            print("\(error) Push again to resume.")
            exit(75)
        } catch {
            print(error)
            exit(1)
        }
        // end
    }

    /// The shortest push. It returns when the device has verified the image and made it current.
    static func push(_ path: String, toDeviceNamed name: String?) async throws {
        // README: push
        let firmware = try await Firmware(contentsOf: path)
        let report = try await firmware.push(to: .bluetooth(named: name))
        print("verified: \(report)")
        // end
    }

    static func pushWithProgress(_ path: String, to target: Target) async throws {
        let firmware = try await Firmware(contentsOf: path)
        // README: progress
        let push = Task {
            for try await update in firmware.pushing(to: target) {
                switch update {
                case .progress(let progress): print("\(Int(progress.fractionStored * 100)) %")
                case .reconnecting(let reason): print("connecting again: \(reason)")
                case .verified(let report): print("verified: \(report)")
                default: break
                }
            }
        }
        onInterrupt { push.cancel() }  // a clean stop: the device is told
        try await push.value
        // end
    }

    // README: interrupt
    /// Calls an action at Ctrl-C, for which an application has a button.
    static func onInterrupt(_ action: @escaping @Sendable () -> Void) {
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        // The handler holds the source, which would end with its last reference.
        interrupts.setEventHandler { withExtendedLifetime(interrupts) { action() } }
        interrupts.resume()
    }
    // end
}
