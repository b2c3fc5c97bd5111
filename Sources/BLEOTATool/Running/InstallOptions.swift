import ArgumentParser
import BLEOTA
import SystemPackage

/// How a receiver installs images.
struct InstallOptions: ParsableArguments {
    @Flag(help: "Keep installed images on trial until bleota confirm is run.")
    var onTrial = false

    @Option(
        help: ArgumentHelp("Seconds that an installation may take.", valueName: "S")
    )
    var installTimeout = 600

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "After --, program that installs an image, and its arguments.",
            valueName: "program"
        )
    )
    var install: [String] = []

    func validate() throws {
        if !(1...86_400).contains(installTimeout) {
            throw ValidationError(
                "--install-timeout must be 1 to 86400 seconds, not \(installTimeout)"
            )
        }
        if onTrial, install.isEmpty {
            throw ValidationError(
                "--on-trial needs a program that installs images; give it after --"
            )
        }
    }

    func installer(directory: FilePath, _ reporter: Reporter) -> Installer {
        Installer(
            install,
            limit: .seconds(installTimeout),
            isOnTrial: onTrial,
            directory: directory,
            reporter
        )
    }
}
