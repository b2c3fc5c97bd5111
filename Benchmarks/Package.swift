// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users of the library never resolve what only benchmarks need.
let package = Package(
    name: "bleota-benchmarks",
    dependencies: [.package(name: "bleota", path: "..")],
    targets: [
        .executableTarget(
            name: "TransferCost",
            dependencies: [.product(name: "BLEOTA", package: "bleota")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "BluetoothSpeed",
            dependencies: [.product(name: "BLEOTABlueZ", package: "bleota")],
            swiftSettings: [.treatAllWarnings(as: .error)]
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
