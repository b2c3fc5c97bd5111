import ArgumentParser

/// Whether an image may be compressed.
struct CompressionOption: ParsableArguments {
    @Flag(help: "Don't compress the image, even if compression would make it smaller.")
    var noCompression = false
}
