import BLEOTACore

@testable import BLEOTASimulation

/// A throughput that somebody has published, with the link that it was measured on.
struct PublishedThroughput {
    let source: String
    var radio: RadioSettings
    let valueByteCount: Int
    let operation: RadioLink<Int>.Operation
    /// What counts: the values, or all that the link layer carries for them.
    var countedByteCount: Int
    let kilobitsPerSecond: Double
    /// How far the model may be from it, in percent of it.
    let errorMax: Double
    var reason = ""

    init(
        _ source: String,
        _ phy: PHY,
        interval: Microseconds,
        attMTU: Int,
        valueByteCount: Int,
        _ operation: RadioLink<Int>.Operation,
        kilobitsPerSecond: Double,
        errorMax: Double,
        reason: String = "",
        adjust: (inout RadioSettings) -> Void = { _ in }
    ) {
        self.source = source
        self.valueByteCount = valueByteCount
        self.operation = operation
        countedByteCount = valueByteCount
        self.kilobitsPerSecond = kilobitsPerSecond
        self.errorMax = errorMax
        self.reason = reason
        var radio = RadioSettings()
        radio.phy = phy
        radio.connectionInterval = interval
        radio.attMTU = attMTU
        adjust(&radio)
        self.radio = radio
    }

    /// What the model makes of it.
    var modelled: Double {
        let rate = RadioRun.rate(radio, ofValue: valueByteCount, as: operation)
        return rate * Double(countedByteCount) / Double(valueByteCount) * 8 / 1_000
    }

    /// The same as bytes of the link layer: with the 7 that ATT and L2CAP add.
    private func ofLinkLayer() -> PublishedThroughput {
        var figure = self
        figure.countedByteCount = valueByteCount + 7
        return figure
    }
}

extension PublishedThroughput {
    static let all = nordic + espressif + others + arithmetic + limited

    /// What the model does not meet: somebody has less than it by far.
    static let unmet = limited.map { figure in
        var figure = figure
        figure.radio.packetCountMax = .max
        figure.reason = "the model has no limit of packets per event; see the figure with one above"
        return figure
    }

    private static let nordic =
        [50, 400].map { interval in
            PublishedThroughput(
                "Nordic, S140 SoftDevice Specification, *Bluetooth LE data throughput*, measured",
                .le2M,
                interval: .milliseconds(interval),
                attMTU: 247,
                valueByteCount: 244,
                .command,
                kilobitsPerSecond: interval == 50 ? 1_327.5 : 1_376.2,
                errorMax: interval == 50 ? 3 : 2,
                reason: interval == 50
                    ? "34 packets an event are exactly 1,327.4; the model has time for a 35th"
                    : "282 packets an event are 1,376.2; the model has time for 287"
            )
        } + [
            PublishedThroughput(
                "Nordic, nRF Connect SDK, samples/bluetooth/throughput, sample output",
                .le2M,
                interval: .milliseconds(400),
                attMTU: 498,
                valueByteCount: 495,
                .command,
                kilobitsPerSecond: 1_415.583,
                errorMax: 1
            )
        ]

    private static let espressif = [
        (PHY.le1M, 777.136, 3.0), (.le2M, 1_401.536, 2), (.codedS2, 350.856, 5),
        (.codedS8, 107.0, 2),
    ].map { phy, published, errorMax in
        PublishedThroughput(
            "Espressif, ESP-IDF, ble50_throughput, example output",
            phy,
            interval: .milliseconds(130),
            attMTU: 517,
            valueByteCount: 495,
            .notification,
            kilobitsPerSecond: published,
            errorMax: errorMax,
            reason: phy == .codedS2
                ? "23 packets an event are 350.3; the model has time for a 24th" : ""
        )
    }

    private static let others = [
        PublishedThroughput(
            "adafruit/Adafruit_nRF52_Arduino issue 318, 172 kB/s",
            .le2M,
            interval: Microseconds(187_500),
            attMTU: 247,
            valueByteCount: 244,
            .command,
            kilobitsPerSecond: 1_376,
            errorMax: 2
        )
    ]

    private static let arithmetic = [
        PublishedThroughput(
            "Bluetooth SIG, ceiling of the link layer's payload, packets of 27 bytes",
            .le1M,
            interval: .seconds(4),
            attMTU: 23,
            valueByteCount: 20,
            .command,
            kilobitsPerSecond: 305,
            errorMax: 0.5
        ) {
            $0.isEncrypted = true
            $0.hasDataLengthExtension = false
        }.ofLinkLayer(),
        PublishedThroughput(
            "Bluetooth SIG, the same, packets of 251 bytes",
            .le1M,
            interval: .seconds(4),
            attMTU: 247,
            valueByteCount: 244,
            .command,
            kilobitsPerSecond: 803,
            errorMax: 0.5
        ) { $0.isEncrypted = true }.ofLinkLayer(),
        PublishedThroughput(
            "Bluetooth SIG, the same, “about 1,400”",
            .le2M,
            interval: .seconds(4),
            attMTU: 247,
            valueByteCount: 244,
            .command,
            kilobitsPerSecond: 1_400,
            errorMax: 2,
            reason: "251 bytes in 1,408 µs are 1,426"
        ) { $0.isEncrypted = true }.ofLinkLayer(),
        PublishedThroughput(
            "Silicon Labs, *Throughput with Bluetooth LE*, most with acknowledgement",
            .le2M,
            interval: Microseconds(7_500),
            attMTU: 250,
            valueByteCount: 247,
            .request,
            kilobitsPerSecond: 132.8,
            errorMax: 1,
            reason: "it reads 249 bytes at a time, where a write of the model has 247"
        ),
    ]

    /// Where a host or a controller does what the model only does when told.
    private static let limited = [(7_500, 262.0, 1), (15_000, 490, 4)].map { arguments in
        let (interval, published, count) = arguments
        return PublishedThroughput(
            "nRF5 SDK throughput example, as in bluerange-io/bluerange-mesh issue 178",
            .le1M,
            interval: Microseconds(Int64(interval)),
            attMTU: 247,
            valueByteCount: 244,
            .command,
            kilobitsPerSecond: published,
            errorMax: count == 1 ? 1 : 7,
            reason: "with at most \(count) packet\(count == 1 ? "" : "s") an event, which the "
                + "controller's event length seems to allow"
        ) { $0.packetCountMax = count }
    }
}
