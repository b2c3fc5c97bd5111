// swift-tools-version:6.2
import PackageDescription

/// The rules of the package above: warnings are errors, imports are internal unless said otherwise,
/// an existential is spelled `any`, and an async function runs where its caller runs.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A package of its own, so that nobody who pushes to one device builds any of it.
let package = Package(
    name: "bleota-fleet",
    products: [
        .executable(name: "bleota-fleet", targets: ["FleetTool"]),
        // What tests do to a process: loaded into it, and not part of what is shipped.
        .library(name: "FleetFaults", type: .dynamic, targets: ["CFleetFaults"]),
    ],
    dependencies: [
        // What a gateway pushes with.
        .package(name: "bleota", path: ".."),
        // The versions are those of the package above.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // The queues of the planner.
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        // The console's server. Without its traits it needs neither Foundation nor a configuration.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.28.0",
            traits: []
        ),
        // What Hummingbird's interface is made of.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        // The client of NATS in C.
        .systemLibrary(
            name: "CNATS",
            pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"])]
        ),
        // The clock by which that client waits, which nobody sets.
        .target(name: "CSteadyClock"),
        // A connection to a NATS server with JetStream: streams, buckets of keys, pull consumers.
        // Knows nothing of firmware.
        .target(name: "NATS", dependencies: ["CNATS", "CSteadyClock"], swiftSettings: settings),
        // Campaigns, devices and leases: no I/O, no clock, no randomness. Imports nothing.
        .target(name: "FleetModel", swiftSettings: settings),
        // How the model is written for people and programs: JSON, words, times.
        .target(name: "FleetText", dependencies: ["FleetModel"], swiftSettings: settings),
        // Where the values of the model are on the server.
        .target(
            name: "FleetStore",
            dependencies: ["FleetModel", "NATS"],
            swiftSettings: settings
        ),
        // Hears devices, and pushes to them what the orders say.
        .target(
            name: "FleetGateway",
            dependencies: [
                "FleetModel", "FleetStore", "NATS",
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTABlueZ", package: "bleota"),
                .product(name: "BlueZ", package: "bleota"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Devices behind sockets, which lose packets, restart and refuse.
        .target(
            name: "FleetSimulation",
            dependencies: [
                "FleetGateway", "FleetModel",
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Decides which device is updated when, and through which gateway.
        .target(
            name: "FleetControl",
            dependencies: [
                "FleetModel", "FleetStore", "NATS",
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        // Keys, permissions and the configuration of servers.
        .target(
            name: "FleetSetup",
            dependencies: [
                "FleetModel", "FleetStore", "NATS",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Metrics in Prometheus's text format.
        .target(
            name: "FleetMetrics",
            dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: settings
        ),
        // The console: a model of the fleet that follows the store, and its pages. Hummingbird
        // takes minutes to build, so nothing but the tool imports this.
        .target(
            name: "FleetConsole",
            dependencies: [
                "FleetMetrics", "FleetModel", "FleetStore", "FleetText", "NATS",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [
                .embedInCode("Assets/console.css"), .embedInCode("Assets/console.js"),
                .embedInCode("Assets/icon.svg"),
            ],
            swiftSettings: settings
        ),
        // The command line.
        .executableTarget(
            name: "FleetTool",
            dependencies: [
                "FleetConsole", "FleetControl", "FleetGateway", "FleetMetrics", "FleetModel",
                "FleetSetup", "FleetSimulation", "FleetStore", "FleetText", "NATS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTAManifest", package: "bleota"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // What many devices cost a controller: `make bench-fleet`.
        .executableTarget(
            name: "FleetBenchmark",
            dependencies: ["FleetControl", "FleetModel", "FleetStore", "FleetTestSupport", "NATS"],
            path: "Benchmarks/FleetBenchmark",
            swiftSettings: settings
        ),
        // Shows all of it: make demo-fleet.
        .executableTarget(
            name: "FleetDemo",
            dependencies: [
                "FleetTestSupport", "NATS", .product(name: "BLEOTA", package: "bleota"),
            ],
            path: "Demo",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FleetModelTests",
            dependencies: ["FleetModel"],
            swiftSettings: settings
        ),
        .target(name: "CFleetFaults", path: "Tests/CFleetFaults"),
        // For the tests below: real servers, processes and folders.
        .target(
            name: "FleetTestSupport",
            dependencies: [
                "FleetModel", "NATS", .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/FleetTestSupport",
            swiftSettings: settings
        ),
        // Against a server from PyPI (scripts/server.sh).
        .testTarget(
            name: "NATSTests",
            dependencies: ["FleetTestSupport", "NATS"],
            swiftSettings: settings
        ),
        // Campaigns with a real server, and gateways that only speak with it.
        .testTarget(
            name: "FleetControlTests",
            dependencies: [
                "FleetControl", "FleetModel", "FleetStore", "FleetTestSupport", "FleetTool", "NATS",
            ],
            swiftSettings: settings
        ),
        // The operator's commands, as processes.
        .testTarget(
            name: "FleetToolTests",
            dependencies: [
                "FleetControl", "FleetGateway", "FleetMetrics", "FleetModel", "FleetStore",
                "FleetTestSupport", "FleetTool", "NATS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "BLEOTA", package: "bleota"),
            ],
            swiftSettings: settings
        ),
        // The console's pages and metrics, over HTTP.
        .testTarget(
            name: "FleetConsoleTests",
            dependencies: [
                "FleetConsole", "FleetMetrics", "FleetModel", "FleetStore", "FleetTestSupport",
                "FleetText", "NATS",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // A fleet of records, which moves when it is told to: scripts/console-test.sh shows it in a
        // browser.
        .executableTarget(
            name: "ConsoleFleet",
            dependencies: ["FleetModel", "FleetStore", "NATS"],
            path: "Tests/ConsoleFleet",
            swiftSettings: settings
        ),
        // Real pushes to devices behind sockets, and gateways as processes.
        .testTarget(
            name: "FleetGatewayTests",
            dependencies: [
                "FleetGateway", "FleetModel", "FleetSimulation", "FleetStore", "FleetTestSupport",
                "FleetTool", "NATS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Whole fleets of processes, and what happens to them.
        .testTarget(
            name: "FleetFaultTests",
            dependencies: [
                "FleetModel", "FleetStore", "FleetTestSupport", "FleetTool", "NATS",
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Real servers with the configuration that the tool makes, and clients of every role.
        .testTarget(
            name: "FleetSecurityTests",
            dependencies: [
                "FleetControl", "FleetModel", "FleetSetup", "FleetStore", "FleetTestSupport",
                "FleetTool", "NATS",
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // A campaign over a real Bluetooth daemon, in a guest (scripts/test-bluez.sh fleet).
        .testTarget(
            name: "FleetBluetoothTests",
            dependencies: [
                "FleetModel", "FleetStore", "FleetTestSupport", "FleetTool", "NATS",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
    ]
)
