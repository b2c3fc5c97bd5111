#if BlueZ
import ArgumentParser
import BLEOTABlueZ

/// The adapter to use.
struct AdapterOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Adapter, by name or address; by default the first one that is on.",
            valueName: "hciN"
        )
    )
    var adapter: String?
}
#endif
