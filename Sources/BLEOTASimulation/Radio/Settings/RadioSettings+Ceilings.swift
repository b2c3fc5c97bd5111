import BLEOTACore

/// What a link can carry at best, whoever sends: by air times, intervals and hosts alone.
extension RadioSettings {
    /// How many whole values of this length go in one connection event, on the unenhanced bearer;
    /// on others it is at most as many. 0 where a value takes several events.
    public func valueCountPerEvent(ofValue byteCount: Int) -> Int {
        let packets = packetByteCounts(ofValue: byteCount)
        let time = packets.reduce(Microseconds.zero) { $0 + exchangeTime(ofData: $1) }
        let count = Int(eventRoom.rawValue / time.rawValue)
        // The first packet of an event has time in any case.
        return min(packets.count == 1 ? max(count, 1) : count, packetCountMax / packets.count)
    }

    /// The ceiling of commands of this length, in bytes of values a second: v·n/CI, and what events
    /// carry of longer values in the long run.
    public func commandCeiling(ofValue byteCount: Int) -> Double {
        let count = valueCountPerEvent(ofValue: byteCount)
        let share = count > 0 ? (valueCount: count, eventCount: 1) : longRun(ofValue: byteCount)
        return Double(byteCount * share.valueCount) * 1e6
            / Double(Int64(share.eventCount) * connectionInterval.rawValue)
    }

    /// The same of requests, one at a time: v/(e·CI).
    public func requestCeiling(ofValue byteCount: Int) -> Double {
        Double(byteCount) * 1e6
            / Double(Int64(eventCountPerRequest(ofValue: byteCount)) * connectionInterval.rawValue)
    }

    /// How many events a request of this length takes until the next can go. It is two, since the
    /// request goes in one event and its answer in the next; more where a request takes several
    /// events itself, or where hosts take longer than an event to answer and to go on.
    public func eventCountPerRequest(ofValue byteCount: Int) -> Int {
        let request = eventFill(ofValues: 1, byteCount)
        let response =
            airTime(ofData: 0) + frameSpaces.centralToPeripheral
            + airTime(ofData: Self.writeResponseByteCount)
        return request.eventCount - 1 + eventCount(until: request.lastArrival + hostLatency)
            + eventCount(until: response + hostLatency)
    }

    /// How many events so many values take, one after the other, from the beginning of an event.
    func eventCount(ofValues count: Int, _ byteCount: Int) -> Int {
        let perEvent = valueCountPerEvent(ofValue: byteCount)
        guard perEvent > 0 else { return eventFill(ofValues: count, byteCount).eventCount }
        return (count + perEvent - 1) / perEvent
    }

    /// How many whole values two events carry, and the last one where they carry less.
    func valueCountPerTwoEvents(ofValue byteCount: Int) -> Int {
        let count = valueCountPerEvent(ofValue: byteCount)
        guard count == 0 else { return 2 * count }
        let share = longRun(ofValue: byteCount)
        return max(2 * share.valueCount / share.eventCount, 1)
    }

    // MARK: - Events and packets

    /// The opcode of ATT's response to a write, below the header of L2CAP (Bluetooth Core 5.4,
    /// volume 3, part F, 3.4.5.2).
    private static let writeResponseByteCount = 1 + l2capHeaderByteCount

    /// The time for packets and the spaces after them.
    private var eventRoom: Microseconds { connectionInterval - frameSpaces.betweenEvents }

    /// What arrives so long after the beginning of an event can have an answer in which of the next
    /// ones.
    private func eventCount(until span: Microseconds) -> Int {
        let interval = connectionInterval.rawValue
        return max(1, Int((span.rawValue + interval - 1) / interval))
    }

    /// How many of the packets of a value, beginning with this one, go in one event.
    private func packetCount(inEventFrom first: Int, of packets: [Int]) -> Int {
        var (count, time) = (0, Microseconds.zero)
        repeat {
            time = time + exchangeTime(ofData: packets[(first + count) % packets.count])
            count += 1
        } while count < packetCountMax
            && time + exchangeTime(ofData: packets[(first + count) % packets.count]) <= eventRoom
        return count
    }

    /// How many values go in how many events, if there are always more. The packet with which an
    /// event begins says all that follows, so it ends where one comes again.
    private func longRun(ofValue byteCount: Int) -> (valueCount: Int, eventCount: Int) {
        let packets = packetByteCounts(ofValue: byteCount)
        var (packetCount, eventCount) = (0, 0)
        var begun: [Int: (packetCount: Int, eventCount: Int)] = [:]
        while true {
            let first = packetCount % packets.count
            if let before = begun[first] {
                return (
                    (packetCount - before.packetCount) / packets.count,
                    eventCount - before.eventCount
                )
            }
            begun[first] = (packetCount, eventCount)
            packetCount += self.packetCount(inEventFrom: first, of: packets)
            eventCount += 1
        }
    }

    /// How many events so many values take, and when the last packet is there, from the beginning
    /// of the last event.
    private func eventFill(
        ofValues count: Int,
        _ byteCount: Int
    ) -> (eventCount: Int, lastArrival: Microseconds) {
        let packets = packetByteCounts(ofValue: byteCount)
        var (leftCount, eventCount, first) = (count * packets.count, 0, 0)
        while true {
            let count = min(packetCount(inEventFrom: first, of: packets), leftCount)
            eventCount += 1
            leftCount -= count
            guard leftCount == 0 else {
                first = (first + count) % packets.count
                continue
            }
            let before = (first..<(first + count - 1)).reduce(Microseconds.zero) {
                $0 + exchangeTime(ofData: packets[$1 % packets.count])
            }
            let last = packets[(first + count - 1) % packets.count]
            return (eventCount, before + airTime(ofData: last))
        }
    }
}
