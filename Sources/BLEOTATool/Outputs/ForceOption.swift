import ArgumentParser

/// Whether an output may replace any regular file.
struct ForceOption: ParsableArguments {
    @Flag(help: "Let an output replace any regular file, not only one of its kind.")
    var force = false
}
