import ArgumentParser

/// The form and amount of a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line instead of text.")
    var json = false

    @Flag(help: "Print nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more about what happens.")
    var verbose = false
}
