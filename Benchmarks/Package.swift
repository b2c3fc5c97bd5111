// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users of the library never resolve what only benchmarks need.
let package = Package(
    name: "bleota-benchmarks",
    dependencies: [
        .package(name: "bleota", path: ".."),
        // Without its traits, which preload libraries to count allocations: CAllocationCount does
        // that here.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // Sources/Baselines and its tests, TransferCost and BluetoothSpeed are targets of the
        // library's own package: they use what only that package sees.
        // The benchmark plugin finds a target by its folder, which has to lie in one that is
        // called Benchmarks.
        .executableTarget(
            name: "Codec",
            dependencies: [
                "CAllocationCount",
                "CZlibYardstick",
                .product(name: "BLEOTACore", package: "bleota"),
                .product(name: "BLEOTAHost", package: "bleota"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Codec",
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // Counts what the program allocates.
        .target(name: "CAllocationCount"),
        // zlib, whose checksum is a yardstick. The package has a CZlib of its own.
        .systemLibrary(
            name: "CZlibYardstick",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .executableTarget(
            name: "WriteModes",
            dependencies: [.product(name: "BLEOTASimulation", package: "bleota")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "BenchReport",
            dependencies: [
                .product(name: "BLEOTACore", package: "bleota"),
                .product(name: "BLEOTASimulation", package: "bleota"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
