import BLEOTACore

/// Descriptions of a radio, each on one line.
extension RadioSettings {
    var linkWords: String {
        var words = [
            "\(phy.rawValue)", "packets of \(packetByteCountMax) bytes",
            "an event every \(Words.time(connectionInterval))",
        ]
        if isEncrypted || enhancedBearers != nil { words.append("encrypted") }
        if frameSpaces != .usual { words.append("frame spaces of \(frameSpaces.words)") }
        if packetCountMax < .max { words.append("\(packetCountMax) packets per event") }
        words.append("hosts answer after \(Words.time(hostLatency))")
        if let hostPauses {
            words.append(
                "and pause for up to \(Words.time(hostPauses.lengthMax)) at least every "
                    + "\(Words.time(hostPauses.gapMax))"
            )
        }
        return words.joined(separator: ", ")
    }

    var bearerWords: String {
        guard let enhancedBearers else { return "ATT_MTU \(attMTU), one bearer" }
        return
            "ATT_MTU \(attMTU), \(enhancedBearers.count) additional enhanced bearers with frames "
            + "of \(enhancedBearers.segmentByteCountMax) bytes and "
            + "\(enhancedBearers.creditCount) credits"
    }

    var queueWords: String {
        let sending =
            sendQueueValueCountMax < .max
            ? "the sender's host holds \(sendQueueValueCountMax) values"
            : "the sender's host has no limit"
        guard let receiveQueue else { return sending + ", the receiver reads at once" }
        return sending
            + ", the receiver's host holds \(receiveQueue.valueCountMax) and reads one every "
            + Words.time(receiveQueue.timePerValue)
    }

    var faultWords: String {
        var words: [String] = []
        if packetErrorRate > 0 { words.append("\(Words.share(packetErrorRate)) damaged packets") }
        if valueLoss > 0 { words.append("\(Words.share(valueLoss)) lost values") }
        words += fades.sorted { $0.start < $1.start }
            .map { "a fade at \(Words.time($0.start)) for \(Words.time($0.length))" }
        words.append(
            supervision.map {
                "link lost after \(Words.time($0.timeout)) without an intact packet, "
                    + "re-established after another \(Words.time($0.reconnection))"
            } ?? "link never lost"
        )
        return words.joined(separator: ", ")
    }
}
