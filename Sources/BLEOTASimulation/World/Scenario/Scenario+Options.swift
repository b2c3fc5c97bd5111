import BLEOTACore

/// Descriptions of the drawn values.
extension Scenario {
    var options: [SimulatedTransfer.Option] {
        [
            .init(name: "image", value: imageWords),
            .init(
                name: "begun by",
                value: isRequestedByReceiver
                    ? "the receiver, which requests the image" : "the sender"
            ),
            .init(name: "sender", value: senderWords),
            .init(name: "receiver", value: receiverWords),
        ] + linkOptions + [
            .init(name: "store", value: store.words),
            .init(name: "driver", value: driverWords),
            .init(name: "interruptions", value: interruptionWords),
            .init(
                name: "faults end",
                value: healsAt.map { "at \(Words.time($0))" } ?? "never"
            ),
        ]
    }

    private var linkOptions: [SimulatedTransfer.Option] {
        guard let radio else {
            return [
                .init(name: "sender control", value: senderControl.words),
                .init(name: "sender data", value: senderData.words),
                .init(name: "receiver control", value: receiverControl.words),
            ]
        }
        return [
            .init(name: "radio", value: radio.linkWords),
            .init(
                name: "values",
                value: "data in \(isWithResponse ? "requests" : "commands"), " + radio.bearerWords
            ),
            .init(name: "queues", value: radio.queueWords),
            .init(name: "radio faults", value: radio.faultWords),
        ]
    }

    private var imageWords: String {
        var words = ["\(imageByteCount) bytes in blocks of \(blockByteCount)"]
        if store.heldPerMille > 0 { words.append("\(store.heldPerMille) ‰ of them already held") }
        if undetectedDamage > 0 {
            words.append(
                "\(Words.share(undetectedDamage)) of frames with damage that the checksum misses"
            )
        }
        return words.joined(separator: ", ")
    }

    private var senderWords: String {
        let window =
            switch window {
            case .automatic: "auto"
            case .fixed(let count): "\(count)"
            case .burst(let count, .untilAcknowledged): "burst of \(count)"
            case .burst(let count, .time(let span)): "burst of \(count), \(Words.time(span))"
            }
        return
            "frames of \(frameByteCountMax) bytes, window \(window), memory for \(ringChunkCount) "
            + "chunks, treats the link as \(claimsOrder ? "" : "un")ordered"
    }

    private var receiverWords: String {
        "memory for \(slotCount) blocks, frames of \(controlByteCountMax) bytes"
            + (leavesPaceToSender ? ", lets the sender choose the pace" : "")
            + (limitsProgress ? ", ends transfers that make no progress" : "")
    }

    private var driverWords: String {
        (lateness > .zero ? "late by \(Words.time(lateness))" : "punctual")
            + (driverQueueMax < .max ? ", queues up to \(driverQueueMax) data frames" : "")
    }

    private var interruptionWords: String {
        guard !interruptions.isEmpty else { return "none" }
        let words = interruptions.sorted { $0.moment < $1.moment }
            .map { "\($0.kind) at \(Words.time($0.moment))" }
        return words.joined(separator: ", ") + ", each for \(Words.time(interruptionPause))"
    }
}

extension LinkModel {
    fileprivate var words: String {
        var words = ["\(Words.time(latency))"]
        if jitter > .zero { words.append("up to \(Words.time(jitter)) of jitter") }
        words.append(isOrdered ? "ordered" : "unordered")
        for (name, share) in [
            ("loss", faults.loss), ("duplication", faults.duplication),
            ("corruption", faults.corruption), ("truncation", faults.truncation),
        ] where share > 0 {
            words.append("\(name) \(Words.share(share))")
        }
        if let pace {
            words.append(
                "\(pace.datagramCount) frames every \(Words.time(pace.interval)) from a queue of "
                    + "\(pace.queueMax)"
            )
        }
        if let stalls {
            words.append(
                "stalls for \(Words.time(stalls.length)) in every \(Words.time(stalls.period))"
            )
        }
        if let sizeLimit {
            words.append(
                "\(sizeLimit.isCutShort ? "truncates" : "drops") values of more than "
                    + "\(sizeLimit.byteCount) bytes"
            )
        }
        return words.joined(separator: ", ")
    }
}

extension StoreBehavior {
    fileprivate var words: String {
        var words: [String] = []
        for (name, time) in [
            ("look-up", lookUp), ("write", write), ("sync", sync), ("judge", judge),
            ("publish", publish),
        ] where time > .zero {
            words.append("\(name) \(Words.time(time))")
        }
        if let flash {
            words.append(flash.words)
        } else {
            words.append("syncs after every \(blocksPerSync) blocks")
            words.append("a power cut \(unsyncedWords)")
        }
        if !keepsPartialManifest { words.append("forgets part of a manifest") }
        if memoryFault > 0 { words.append("memory faults \(Words.share(memoryFault))") }
        if storageFault > 0 { words.append("storage faults \(Words.share(storageFault))") }
        return words.joined(separator: ", ")
    }

    private var unsyncedWords: String {
        switch unsynced {
        case .stays: "keeps unsynced data"
        case .goes: "loses unsynced data"
        case .each: "loses or tears some unsynced blocks"
        }
    }
}

extension FlashSettings {
    fileprivate var words: String {
        var words = [
            "flash pages of \(pageByteCount) bytes, erased in \(Words.time(erase))",
            "words of \(wordByteCount) bytes, programmed in \(Words.time(programWord))",
            "\(erasedAheadPageCount) pages erased in advance",
        ]
        if let hashBytesPerSecond { words.append("hashes \(hashBytesPerSecond) bytes per second") }
        return words.joined(separator: ", ")
    }
}
