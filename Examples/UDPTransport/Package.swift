// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "udp-example",
    // Without traits bleota needs no cryptographic library: nothing here is signed.
    dependencies: [.package(name: "bleota", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "UDPTransport",
            dependencies: [
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTATransportTesting", package: "bleota"),
            ],
            path: ".",
            sources: ["UDPTransport.swift"]
        )
    ]
)
