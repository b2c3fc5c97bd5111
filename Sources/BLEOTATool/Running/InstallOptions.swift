import ArgumentParser
import BLEOTA
import SystemPackage

/// What a receiver does with an image that has become current.
struct InstallOptions: ParsableArguments {
    @Flag(help: "What was installed is on trial until bleota confirm says that it runs well.")
    var onTrial = false

    @Option(
        help: ArgumentHelp("How many seconds an installation may take.", valueName: "S")
    )
    var installTimeout = 600

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "After --: the program that installs a verified image, and its arguments; the path of "
                + "the image is added.",
            valueName: "program"
        )
    )
    var install: [String] = []

    func validate() throws {
        if !(1...86_400).contains(installTimeout) {
            throw ValidationError(
                "--install-timeout is 1 to 86400 seconds, not \(installTimeout)"
            )
        }
        if onTrial, install.isEmpty {
            throw ValidationError(
                "--on-trial is about what is installed: name the program that does, after --"
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
