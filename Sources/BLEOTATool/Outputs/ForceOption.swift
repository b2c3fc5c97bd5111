import ArgumentParser

/// Whether an output may replace any regular file.
struct ForceOption: ParsableArguments {
    @Flag(help: "Let an output replace a file of another kind.")
    var force = false
}
