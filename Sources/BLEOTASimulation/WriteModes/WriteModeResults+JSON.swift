import BLEOTACore

extension WriteModeResults {
    /// The results as JSON, with one transfer per line. Numbers are rounded before they are
    /// printed, so all machines print the same text. If a transfer did not finish, its results
    /// are `null`. `frame_spaces_us` and `packet_bytes_max` are present only if they differ from
    /// 150 and 251. `duration_us` and `goodput_bytes_per_second` refer to the whole transfer;
    /// `image_duration_us`, `image_goodput_bytes_per_second`, `percent_of_ceiling` and
    /// `times_with_response` refer to the time in which the image is sent.
    public var json: String {
        let lines = transfers.map { transfer in
            "{" + fields(transfer).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
        return """
            {
            "origin":"simulated",
            "transfers":[
            \(lines.joined(separator: ",\n"))
            ]
            }

            """
    }

    private func fields(_ transfer: RadioTransfer) -> [(name: String, value: String)] {
        let report = self[transfer]
        func count(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }
        func whole(_ number: Double?) -> String { count(number.map { Int($0.rounded()) }) }
        func tenths(_ number: Double?) -> String { number.map { $0.inTenths } ?? "null" }
        return linkFields(transfer.radio) + [
            ("att_mtu", "\(transfer.radio.attMTU)"),
            ("write_mode", "\"\(transfer.writeMode.name)\""),
            ("loss_percent", (transfer.radio.valueLoss * 100).inTenths),
            ("image_bytes", "\(transfer.imageByteCount)"),
            ("duration_us", count(report.map { Int($0.duration.rawValue) })),
            ("image_duration_us", count(report.map { Int($0.imageDuration.rawValue) })),
            ("goodput_bytes_per_second", whole(goodput(transfer))),
            ("image_goodput_bytes_per_second", whole(imageGoodput(transfer))),
            ("ceiling_bytes_per_second", whole(transfer.ceilingBytesPerSecond)),
            ("percent_of_ceiling", tenths(percentOfCeiling(transfer))),
            ("times_with_response", tenths(timesWithResponse(transfer))),
            ("data_frames", count(report?.dataFrameCount)),
            ("acknowledgements", count(report?.acknowledgementCount)),
            ("host_queue_bytes_max", count(report?.hostQueueByteCountMax)),
        ]
    }

    private func linkFields(_ radio: RadioSettings) -> [(name: String, value: String)] {
        var fields = [
            (name: "phy", value: "\"\(radio.phy.rawValue)\""),
            ("connection_interval_us", "\(radio.connectionInterval.rawValue)"),
        ]
        if radio.frameSpaces != .usual {
            let spaces = radio.frameSpaces
            let times = [
                spaces.centralToPeripheral, spaces.peripheralToCentral, spaces.betweenEvents,
            ]
            let list = times.map { "\($0.rawValue)" }.joined(separator: ",")
            fields.append(("frame_spaces_us", "[\(list)]"))
        }
        if radio.packetByteCountMax != RadioSettings.packetByteCountRange.upperBound {
            fields.append(("packet_bytes_max", "\(radio.packetByteCountMax)"))
        }
        return fields
    }
}
