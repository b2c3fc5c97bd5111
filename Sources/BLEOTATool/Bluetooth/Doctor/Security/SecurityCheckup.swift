#if BlueZ
import BLEOTA
import BLEOTABlueZ
import Glibc
import SystemPackage

/// Checks the security of a receiver's setup. Each finding is one sentence, with the next step.
///
/// The setup consists of the arguments of `bleota receive`. The check opens nothing that the
/// receiver would change, so a receiver may run meanwhile.
struct SecurityCheckup {
    private let receiver: ReceiveCommand
    private let store: FilePath

    init(_ receiver: ReceiveCommand) {
        self.receiver = receiver
        store = FilePath(argument: receiver.store)
    }

    var findings: [Finding] {
        signatures + keys + [counter, hardware] + place + [storeAccess] + sealing + installer
            + user
    }

    // MARK: - Images

    /// The peers that can send an image.
    private var peers: String {
        switch receiver.listen {
        case nil: "anyone in range"
        case .udp: "anyone on the network"
        case .line(let address, _): "anyone at \(address.path)"
        case .bleota(let target): "anyone who can open \(target.path)"
        }
    }

    private var isLocal: Bool { !receiver.advertise && !(receiver.listen?.isNetwork ?? false) }

    /// Empty if a trusted key can't be read: a receiver does not start in that case.
    private var signatures: [Finding] {
        let count = receiver.trustOptions.trust.count
        if count == 0 {
            return [
                Finding(
                    isLocal ? .note : .problem,
                    "signatures",
                    "not required: \(peers) can install any image",
                    remedy: "give the maker's public key with --trust, and leave out "
                        + "--allow-unsigned"
                )
            ]
        }
        if receiver.trustOptions.allowUnsigned {
            return [
                Finding(
                    .problem,
                    "signatures",
                    "not required: --allow-unsigned lets \(peers) install any image",
                    remedy: "leave out --allow-unsigned"
                )
            ]
        }
        let areReadable = receiver.trustOptions.keyFiles.allSatisfy {
            (try? KeyFile.publicKey(at: $0)) != nil
        }
        guard areReadable else { return [] }
        return [
            Finding(.ok, "signatures", "required, by \(count == 1 ? "the" : "a") trusted key")
        ]
    }

    private var keys: [Finding] {
        var ids: Set<String> = []
        var findings: [Finding] = []
        for file in receiver.trustOptions.keyFiles {
            do throws(KeyError) {
                let key = try KeyFile.publicKey(at: file)
                ids.insert(key.id.hex)
                findings.append(finding(of: "trusted key", file, as: "\(key.id.hex) (\(file))"))
            } catch {
                findings.append(Finding(.problem, "trusted key", error.sentence))
            }
        }
        if ids.count == 1 {
            findings.append(
                Finding(
                    .note,
                    "replacement key",
                    "none: if the private key is lost, the receiver takes no more releases",
                    remedy: "trust a second key, and keep its private half offline"
                )
            )
        }
        return findings
    }

    /// Whether somebody else can change a file that the receiver relies on.
    private func finding(of subject: String, _ file: FilePath, as description: String) -> Finding {
        guard let weakness = FileAccess.weakness(of: file) else {
            return Finding(.ok, subject, description)
        }
        return Finding(
            .problem,
            subject,
            "\(description): \(weakness)",
            remedy: "let only root, or the user of the receiver, write there"
        )
    }

    private var counter: Finding {
        let path = store.appending("counter")
        let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            let count = path.withPlatformString { readlink($0, buffer.baseAddress!, 31) }
            guard count > 0 else { return nil as String? }
            buffer[count] = 0
            return String(cString: buffer.baseAddress!)
        }
        guard let counter = target.flatMap({ UInt32($0) }), counter > 0 else {
            return Finding(
                .note,
                "old releases",
                "accepted: no release has raised the security counter",
                remedy: "sign each release that fixes a vulnerability with a higher --counter"
            )
        }
        guard counter < .max else {
            return Finding(
                .problem,
                "old releases",
                "not told from new ones: the security counter is at its maximum, \(counter)",
                remedy: "delete the store, once no stolen key is trusted any more"
            )
        }
        return Finding(.ok, "old releases", "refused if their counter is below \(counter)")
    }

    private var hardware: Finding {
        guard let hardware = receiver.policyOptions.hardware else {
            return Finding(
                .note,
                "hardware",
                "not known: any release that states no hardware is accepted",
                remedy: "give --hardware VENDOR/NAME:REVISION, here and to bleota sign"
            )
        }
        let revisions = hardware.range.revisions
        let revision = revisions.count == 1 ? ":\(revisions.lowerBound)" : ""
        return Finding(.ok, "hardware", "\(hardware.range.name)\(revision)")
    }

    // MARK: - Links

    private var place: [Finding] {
        switch receiver.listen {
        case nil: bluetooth
        case .udp(host: nil, _):
            [
                Finding(
                    .note,
                    "network",
                    "every host that reaches this machine can begin uploads",
                    remedy: "listen on one address, smp+udp:HOST:PORT, behind a firewall"
                )
            ]
        case .udp(host: let host?, _): [Finding(.ok, "network", "listens on \(host) only")]
        case .line: []
        case .bleota(.serial): []
        case .bleota(.socket(let path)): [socket(path)]
        }
    }

    private var bluetooth: [Finding] {
        let link =
            switch receiver.bluetooth.link ?? .open {
            case .open:
                Finding(
                    .note,
                    "link",
                    "open: anyone in range can begin transfers and read the data sent",
                    remedy: "give --link authenticated, and pair the gateways"
                )
            case .encrypted:
                Finding(
                    .note,
                    "link",
                    "encrypted: an attacker in range during the pairing can read the link",
                    remedy: "give --link authenticated, and pair with a passkey"
                )
            case .authenticated: Finding(.ok, "link", "authenticated")
            }
        guard receiver.bluetooth.smp else { return [link] }
        return [
            link,
            Finding(
                .note,
                "SMP",
                "any SMP client can read the list of images and request a restart",
                remedy: "leave out --smp unless stock apps update the device"
            ),
        ]
    }

    private func socket(_ path: FilePath) -> Finding {
        guard let access = FileAccess(path) else {
            return Finding(
                .note,
                "socket",
                "\(path) does not exist: start the receiver, then check again"
            )
        }
        guard access.isWritableByAll, FileAccess.isReachableByAll(path) else {
            return Finding(.ok, "socket", "\(path): closed to other users of this machine")
        }
        return Finding(
            .note,
            "socket",
            "\(path): every user of this machine can connect",
            remedy: "put the socket in a directory with mode 700"
        )
    }

    // MARK: - Files

    private var storeAccess: Finding {
        guard let access = FileAccess(store) else {
            return Finding(.note, "store", "\(store) does not exist: the receiver will create it")
        }
        if access.owner != 0, access.owner != geteuid() {
            return Finding(
                .problem,
                "store",
                "\(store) belongs to another user",
                remedy: "run this command, and the receiver, as the owner of the store"
            )
        }
        let finding = finding(of: "store", store, as: "\(store)")
        guard finding.grade == .ok, access.isOpenToOthers else { return finding }
        return Finding(
            .note,
            "store",
            "\(store): other users can read it until the receiver starts",
            remedy: "chmod 700 \(store)"
        )
    }

    private var sealing: [Finding] {
        receiver.policyOptions.keyFiles.map { file in
            do throws(KeyError) {
                let key = try KeyFile.unsealingKey(at: file)
                return finding(of: "sealing key", file, as: "\(key.sealingKey.id.hex) (\(file))")
            } catch {
                return Finding(.problem, "sealing key", error.sentence)
            }
        }
    }

    private var installer: [Finding] {
        guard let program = receiver.installOptions.install.first else { return [] }
        guard program.hasPrefix("/") else {
            return [
                Finding(
                    .note,
                    "installer",
                    "\(program) is not an absolute path",
                    remedy: "give the absolute path of the program"
                )
            ]
        }
        guard access(program, X_OK) == 0 else {
            return [
                Finding(
                    .problem,
                    "installer",
                    "\(program): \(String(cString: strerror(errno)))",
                    remedy: "give a program that the receiver's user can run"
                )
            ]
        }
        return [finding(of: "installer", FilePath(argument: program), as: program)]
    }

    private var user: [Finding] {
        guard geteuid() == 0 else { return [] }
        return [
            Finding(
                .note,
                "user",
                "root: a fault in the receiver affects the whole machine",
                remedy: "run the receiver under a user of its own, in a systemd unit"
            )
        ]
    }
}
#endif
