// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "udp-example",
    dependencies: [.package(name: "bleota", path: "../..")],
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
