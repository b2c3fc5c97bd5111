// swift-tools-version:6.2
import PackageDescription

/// Every target is held to the same rules: warnings are errors, imports are internal unless said
/// otherwise, an existential is spelled `any`, and an async function runs where its caller runs.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// What is shipped, and tests that compute for minutes, are optimized also in the debug build of
/// scripts/swift-tests.sh. SwiftPM takes no such flags from a package that is a dependency, so
/// that they are there only when that script asks for them.
let optimizedSettings: [SwiftSetting] =
    Context.environment["BLEOTA_OPTIMIZED_TESTS"] == nil
    ? settings : settings + [.unsafeFlags(["-O"])]

/// Programs that need what only this package sees, and that no user of it builds: the fuzzers, which
/// link only with -sanitize=fuzzer, and benchmarks of the library.
let isFuzzing = Context.environment["BLEOTA_FUZZERS"] != nil
let isMeasuring = Context.environment["BLEOTA_BENCHMARKS"] != nil

/// The plugin that runs DocC. Only scripts/docs.sh asks for it: packages that depend on this one do
/// not fetch it.
let isDocumenting = Context.environment["BLEOTA_DOCS"] != nil

let package = Package(
    name: "bleota",
    products: [
        .library(name: "BLEOTA", targets: ["BLEOTA"]),
        .library(name: "BLEOTACore", targets: ["BLEOTACore"]),
        .library(name: "BLEOTADevice", targets: ["BLEOTADevice"]),
        .library(name: "BLEOTAHost", targets: ["BLEOTAHost"]),
        .library(name: "BLEOTAManifest", targets: ["BLEOTAManifest"]),
        .library(name: "BLEOTAReceiverC", type: .static, targets: ["BLEOTAReceiverC"]),
        .library(name: "BLEOTASimulation", targets: ["BLEOTASimulation"]),
        .library(name: "BLEOTATransportTesting", targets: ["BLEOTATransportTesting"]),
        .library(name: "BLEOTAWire", targets: ["BLEOTAWire"]),
        .library(name: "BLEOTABlueZ", targets: ["BLEOTABlueZ"]),
        .library(name: "BlueZ", targets: ["BlueZ"]),
        .library(name: "DBus", targets: ["DBus"]),
        .executable(name: "bleota", targets: ["BLEOTATool"]),
    ],
    traits: [
        .trait(name: "BlueZ", description: "Bluetooth in the tool; needs libdbus-1-dev"),
        .trait(name: "Delta", description: "Images as patches; needs libzstd-dev"),
        .trait(name: "Signatures", description: "Signed and sealed images; builds swift-crypto"),
        .default(enabledTraits: ["BlueZ", "Signatures"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // PEM; swift-crypto brings it along.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
    ],
    targets: [
        // Frames, checksums, sequence arithmetic. Imports nothing.
        .target(name: "BLEOTAWire", swiftSettings: optimizedSettings),
        // The manifest of an image: a signed file, and whether a device accepts it.
        .target(
            name: "BLEOTAManifest",
            dependencies: ["BLEOTAWire"],
            swiftSettings: optimizedSettings
        ),
        // Both state machines: no I/O, no clock, no randomness.
        .target(name: "BLEOTACore", dependencies: ["BLEOTAWire"], swiftSettings: optimizedSettings),
        // What a receiver with threads needs besides: its store answers later.
        .target(
            name: "BLEOTAHost",
            dependencies: ["BLEOTACore", "BLEOTAWire"],
            swiftSettings: optimizedSettings
        ),
        // The receiver of a microcontroller: the machine, with a store in its flash.
        .target(
            name: "BLEOTADevice",
            dependencies: ["BLEOTACore", "BLEOTAManifest"],
            swiftSettings: optimizedSettings
        ),
        // The same for firmware in C: the types both share, and the functions.
        .systemLibrary(
            name: "CBLEOTAReceiver",
            path: "Sources/SystemLibraries/CBLEOTAReceiver"
        ),
        .target(
            name: "BLEOTAReceiverC",
            dependencies: ["BLEOTADevice", "BLEOTAManifest", "CBLEOTAReceiver"],
            swiftSettings: optimizedSettings
        ),
        // Both machines in virtual time, over modelled links and devices.
        .target(
            name: "BLEOTASimulation",
            dependencies: ["BLEOTACore", "BLEOTAHost", "BLEOTAWire"],
            swiftSettings: optimizedSettings
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/SystemLibraries/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .systemLibrary(
            name: "CZstd",
            path: "Sources/SystemLibraries/CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]
        ),
        // Transports, stores, images and the one driver.
        .target(
            name: "BLEOTA",
            dependencies: [
                "BLEOTACore",
                "BLEOTAHost",
                "BLEOTAManifest",
                "BLEOTAWire",
                "CZlib",
                .target(name: "CZstd", condition: .when(traits: ["Delta"])),
                .product(
                    name: "Crypto",
                    package: "swift-crypto",
                    condition: .when(traits: ["Signatures"])
                ),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(
                    name: "SwiftASN1",
                    package: "swift-asn1",
                    condition: .when(traits: ["Signatures"])
                ),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: optimizedSettings
        ),
        // SMP, the protocol of MCUmgr: the update of a device that runs Zephyr, for example.
        .target(
            name: "BLEOTASMP",
            dependencies: [
                "BLEOTA", "BLEOTACore", "BLEOTAWire",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/Protocols/BLEOTASMP",
            swiftSettings: optimizedSettings
        ),
        .systemLibrary(
            name: "CMinizip",
            path: "Sources/SystemLibraries/CMinizip",
            pkgConfig: "minizip",
            providers: [.apt(["libminizip-dev"])]
        ),
        // Nordic's DFU, Secure and Legacy: the update of a device with an nRF5 SDK, for example.
        .target(
            name: "BLEOTANordicDFU",
            dependencies: ["BLEOTA", "BLEOTACore", "CMinizip", "CZlib"],
            path: "Sources/Protocols/BLEOTANordicDFU",
            swiftSettings: optimizedSettings
        ),
        // Espressif's OTA over Bluetooth LE: the update of a device with ESP-IDF or ESP-AT.
        .target(
            name: "BLEOTAESPOTA",
            dependencies: ["BLEOTA", "BLEOTACore"],
            path: "Sources/Protocols/BLEOTAESPOTA",
            swiftSettings: optimizedSettings
        ),
        // The contract of a transport, for whoever has made one.
        .target(
            name: "BLEOTATransportTesting",
            dependencies: ["BLEOTA"],
            swiftSettings: optimizedSettings
        ),
        // libdbus, the reference implementation of D-Bus.
        .systemLibrary(
            name: "CDBus",
            path: "Sources/SystemLibraries/CDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        // A connection to a bus: calls, signals, objects. Knows nothing of Bluetooth.
        .target(name: "DBus", dependencies: ["CDBus"], swiftSettings: optimizedSettings),
        // A client of the Bluetooth daemon, in both roles. Knows nothing of firmware.
        .target(name: "BlueZ", dependencies: ["DBus"], swiftSettings: optimizedSettings),
        // The transports of both roles.
        .target(
            name: "BLEOTABlueZ",
            dependencies: [
                "BLEOTA", "BLEOTACore", "BLEOTAWire", "BlueZ", "DBus",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: optimizedSettings
        ),
        .executableTarget(
            name: "BLEOTATool",
            dependencies: [
                "BLEOTA", "BLEOTAESPOTA", "BLEOTANordicDFU", "BLEOTASMP", "BLEOTACore",
                "BLEOTAManifest", "BLEOTASimulation", "BLEOTAWire",
                .target(name: "BLEOTABlueZ", condition: .when(traits: ["BlueZ"])),
                .target(name: "BlueZ", condition: .when(traits: ["BlueZ"])),
                .target(name: "DBus", condition: .when(traits: ["BlueZ"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: optimizedSettings
        ),
        .testTarget(
            name: "BLEOTAWireTests",
            dependencies: ["BLEOTAWire"],
            swiftSettings: optimizedSettings
        ),
        .testTarget(
            name: "BLEOTAManifestTests",
            dependencies: ["BLEOTAManifest", "BLEOTAWire"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BLEOTACoreTests",
            dependencies: ["BLEOTACore", "BLEOTAHost", "BLEOTAWire", "BLEOTATestSupport"],
            swiftSettings: optimizedSettings
        ),
        // Devices with a modelled flash, in Swift and through the functions for C.
        .testTarget(
            name: "BLEOTADeviceTests",
            dependencies: [
                "BLEOTACore", "BLEOTADevice", "BLEOTAManifest", "BLEOTAReceiverC",
                "BLEOTASimulation",
                "BLEOTAWire", "BLEOTATestSupport", "CBLEOTAReceiver",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: optimizedSettings
        ),
        // Models of other protocols over the modelled radio, for the table of the benchmarks, and
        // their tests. They are no product, and see what is internal to the package.
        .target(
            name: "Baselines",
            dependencies: ["BLEOTACore", "BLEOTASimulation"],
            path: "Benchmarks/Sources/Baselines",
            swiftSettings: optimizedSettings
        ),
        .testTarget(
            name: "BaselinesTests",
            dependencies: ["Baselines", "BLEOTACore", "BLEOTASimulation", "BLEOTATestSupport"],
            path: "Benchmarks/Tests/BaselinesTests",
            swiftSettings: optimizedSettings
        ),
        .testTarget(
            name: "BLEOTASimulationTests",
            dependencies: ["BLEOTASimulation", "BLEOTACore", "BLEOTAHost", "BLEOTATestSupport"],
            swiftSettings: optimizedSettings
        ),
        // For several of the targets below: peers that do what a test wants, the built tool as a
        // process, the files of the repository.
        .target(
            name: "BLEOTATestSupport",
            dependencies: ["BLEOTA", "BLEOTACore", "BLEOTAHost", "BLEOTAWire"],
            path: "Tests/BLEOTATestSupport",
            swiftSettings: optimizedSettings
        ),
        .testTarget(
            name: "BLEOTATests",
            dependencies: [
                "BLEOTA", "BLEOTACore", "BLEOTAHost", "BLEOTAManifest", "BLEOTAWire",
                "BLEOTATestSupport", "BLEOTATransportTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // SMP: messages, machines and links, against models and against other makers' libraries.
        .testTarget(
            name: "BLEOTASMPTests",
            dependencies: [
                "BLEOTA", "BLEOTACore", "BLEOTASMP", "BLEOTATestSupport", "Baselines",
                "BLEOTASimulation",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Nordic's DFU: machines and packages, against models and against devices in Python.
        .testTarget(
            name: "BLEOTANordicDFUTests",
            dependencies: [
                "BLEOTA", "BLEOTANordicDFU", "BLEOTACore", "BLEOTATestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Espressif's OTA: its machine, against models and against a device in Python.
        .testTarget(
            name: "BLEOTAESPOTATests",
            dependencies: [
                "BLEOTA", "BLEOTAESPOTA", "BLEOTACore", "BLEOTATestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        // Runs the built tool as a user does: processes, signals, exit codes.
        .testTarget(
            name: "BLEOTAToolTests",
            dependencies: [
                "BLEOTA", "BLEOTACore", "BLEOTAManifest", "BLEOTASimulation", "BLEOTAWire",
                "BLEOTATestSupport",
                .target(name: "BLEOTATool"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Messages.txt"],
            swiftSettings: settings
        ),
        // Runs in a guest with a real Bluetooth daemon (make test-bluez).
        .testTarget(
            name: "BluetoothTests",
            dependencies: [
                "BLEOTA", "BLEOTABlueZ", "BLEOTACore", "BLEOTATestSupport", "BLEOTAWire", "BlueZ",
                "DBus",
                .target(name: "BLEOTATool"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["peers"],
            swiftSettings: settings
        ),
        // What the inputs of the fuzzers mean, shared with Tests/Fuzz, and the kept inputs again.
        .target(
            name: "FuzzTargets",
            dependencies: ["BLEOTA", "BLEOTACore", "BLEOTAHost", "BLEOTAManifest", "BLEOTAWire"],
            path: "Tests/Fuzz/Sources/FuzzTargets",
            swiftSettings: optimizedSettings
                + (isFuzzing ? [.define("FUZZER")] : [])
        ),
        .testTarget(
            name: "FuzzReplayTests",
            dependencies: ["FuzzTargets"],
            swiftSettings: optimizedSettings
        ),
        // Speaks with a dbus-daemon of its own.
        .testTarget(name: "DBusTests", dependencies: ["DBus"], swiftSettings: settings),
        // Speaks with a Bluetooth daemon that does what a test wants, on a dbus-daemon of its own.
        .testTarget(
            name: "BlueZTests",
            dependencies: [
                "BLEOTA", "BLEOTABlueZ", "BLEOTACore", "BLEOTATestSupport", "BLEOTAWire", "BlueZ",
                "DBus",
                .target(name: "BLEOTATool"),
            ],
            swiftSettings: settings
        ),
        // Holds spec/ against the code: vectors, registry, requirement citations, module rules.
        .testTarget(
            name: "SpecTests",
            dependencies: [
                "BLEOTAWire", "BLEOTAManifest", "BLEOTACore", "BLEOTATestSupport",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

if isFuzzing {
    // How a Swift program becomes a libFuzzer program.
    package.targets.append(
        .target(
            name: "FuzzDriver",
            path: "Tests/Fuzz/Sources/FuzzDriver",
            swiftSettings: settings
        )
    )
    package.targets += ["FrameFuzzer", "SenderFuzzer", "ReceiverFuzzer", "HostileFuzzer"].map {
        .executableTarget(
            name: $0,
            dependencies: ["FuzzDriver", "FuzzTargets"],
            path: "Tests/Fuzz/Sources/\($0)",
            swiftSettings: settings
        )
    }
}

if isMeasuring {
    package.targets += [
        .executableTarget(
            name: "TransferCost",
            dependencies: ["BLEOTA"],
            path: "Benchmarks/Sources/TransferCost",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BluetoothSpeed",
            dependencies: ["BLEOTA", "BLEOTABlueZ", "BLEOTAWire", "BlueZ", "DBus"],
            path: "Benchmarks/Sources/BluetoothSpeed",
            swiftSettings: settings
        ),
    ]
}

if isDocumenting {
    package.dependencies.append(
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")
    )
}
