#if BlueZ
import ArgumentParser
import BLEOTABlueZ

/// Which adapter to use.
struct AdapterOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The adapter, by name or address; the first that is on by default.",
            valueName: "hciN"
        )
    )
    var adapter: String?
}
#endif
