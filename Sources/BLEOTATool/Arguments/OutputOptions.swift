import ArgumentParser

/// The format and verbosity of a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line instead of text.")
    var json = false

    @Flag(help: "Print only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more detail.")
    var verbose = false
}
