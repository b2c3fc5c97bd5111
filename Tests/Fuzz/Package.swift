// swift-tools-version:6.2
import PackageDescription

// A package of its own, because it only links with -sanitize=fuzzer: `make fuzz` builds and runs
// it.

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "bleota-fuzz",
    products: [
        .executable(name: "FrameFuzzer", targets: ["FrameFuzzer"]),
        .executable(name: "SenderFuzzer", targets: ["SenderFuzzer"]),
        .executable(name: "ReceiverFuzzer", targets: ["ReceiverFuzzer"]),
        .executable(name: "HostileFuzzer", targets: ["HostileFuzzer"]),
    ],
    dependencies: [.package(name: "bleota", path: "../..")],
    targets: [
        // What the bytes of an input mean. The root package compiles the same files into the tests
        // that replay the corpus; module names have to differ between packages.
        .target(
            name: "FuzzInterpretation",
            dependencies: [
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTACore", package: "bleota"),
                .product(name: "BLEOTAHost", package: "bleota"),
                .product(name: "BLEOTAManifest", package: "bleota"),
            ],
            path: "Sources/FuzzTargets",
            swiftSettings: settings + [.define("FUZZER")]
        ),
        // How a Swift program becomes a libFuzzer program.
        .target(name: "FuzzDriver", swiftSettings: settings),
        .executableTarget(
            name: "FrameFuzzer",
            dependencies: ["FuzzDriver", "FuzzInterpretation"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SenderFuzzer",
            dependencies: ["FuzzDriver", "FuzzInterpretation"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ReceiverFuzzer",
            dependencies: ["FuzzDriver", "FuzzInterpretation"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "HostileFuzzer",
            dependencies: ["FuzzDriver", "FuzzInterpretation"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
