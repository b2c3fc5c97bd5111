import ArgumentParser

/// What a receiver offers to its peers.
struct ReceiveServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Let peers pull this file by its name; repeatable.", valueName: "FILE"),
        completion: .file()
    )
    var offer: [String] = []

    @Option(
        help: ArgumentHelp(
            "Largest ATT_MTU, 23 to 517; 517 by default, but 247 on a serial line.",
            valueName: "N"
        )
    )
    var mtu: Int?

    func validate() throws {
        if let mtu, !(23...517).contains(mtu) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
    }
}
