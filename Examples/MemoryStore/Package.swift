// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "store-example",
    // Without traits bleota needs no cryptographic library: nothing here is signed.
    dependencies: [.package(name: "bleota", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "MemoryStore",
            dependencies: [
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTADevice", package: "bleota"),
            ],
            path: ".",
            sources: ["MemoryStore.swift"]
        )
    ]
)
