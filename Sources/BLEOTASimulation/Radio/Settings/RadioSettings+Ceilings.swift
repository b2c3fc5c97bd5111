import BLEOTACore

/// The highest possible throughput of a link, whatever the protocol: it follows from airtimes,
/// intervals and host latencies alone.
extension RadioSettings {
    /// The number of whole values of this length in one connection event, on the unenhanced
    /// bearer; enhanced bearers carry at most as many. 0 if a value takes several events.
    public func valueCountPerEvent(ofValue byteCount: Int) -> Int {
        let packets = packetByteCounts(ofValue: byteCount)
        let time = packets.reduce(Microseconds.zero) { $0 + exchangeTime(ofData: $1) }
        let count = Int(eventRoom.rawValue / time.rawValue)
        // There is always time for the first packet of an event.
        return min(packets.count == 1 ? max(count, 1) : count, packetCountMax / packets.count)
    }

    /// The highest possible throughput of commands with values of this length, in bytes of
    /// attribute values per second. It is v·n/CI for values of v bytes, n whole values in an event,
    /// and a connection interval CI. If a value takes several events, it is the long-run average.
    public func commandCeiling(ofValue byteCount: Int) -> Double {
        let count = valueCountPerEvent(ofValue: byteCount)
        let share = count > 0 ? (valueCount: count, eventCount: 1) : longRun(ofValue: byteCount)
        return Double(byteCount * share.valueCount) * 1e6
            / Double(Int64(share.eventCount) * connectionInterval.rawValue)
    }

    /// The highest possible throughput of requests that are sent one at a time, in bytes of
    /// attribute values per second. It is v/(e·CI) for values of v bytes, e events from one request
    /// to the next, and a connection interval CI.
    public func requestCeiling(ofValue byteCount: Int) -> Double {
        Double(byteCount) * 1e6
            / Double(Int64(eventCountPerRequest(ofValue: byteCount)) * connectionInterval.rawValue)
    }

    /// The number of events from the start of one request of this length to the next. It is two
    /// if the request is sent in one event and the response in the next. It is larger if a request
    /// itself takes several events, or if the hosts need more than one interval to answer or to
    /// continue.
    public func eventCountPerRequest(ofValue byteCount: Int) -> Int {
        let request = eventFill(ofValues: 1, byteCount)
        let response =
            airTime(ofData: 0) + frameSpaces.centralToPeripheral
            + airTime(ofData: Self.writeResponseByteCount)
        return request.eventCount - 1 + eventCount(until: request.lastArrival + hostLatency)
            + eventCount(until: response + hostLatency)
    }

    /// The number of events that this many consecutive values take, starting at the beginning of
    /// an event.
    func eventCount(ofValues count: Int, _ byteCount: Int) -> Int {
        let perEvent = valueCountPerEvent(ofValue: byteCount)
        guard perEvent > 0 else { return eventFill(ofValues: count, byteCount).eventCount }
        return (count + perEvent - 1) / perEvent
    }

    /// The number of whole values that two events carry, at least 1.
    func valueCountPerTwoEvents(ofValue byteCount: Int) -> Int {
        let count = valueCountPerEvent(ofValue: byteCount)
        guard count == 0 else { return 2 * count }
        let share = longRun(ofValue: byteCount)
        return max(2 * share.valueCount / share.eventCount, 1)
    }

    // MARK: - Events and packets

    /// The length of a write response: the opcode and the L2CAP header (Bluetooth Core 5.4,
    /// volume 3, part F, 3.4.5.2).
    private static let writeResponseByteCount = 1 + l2capHeaderByteCount

    /// The time in an event for packets and the gaps after them.
    private var eventRoom: Microseconds { connectionInterval - frameSpaces.betweenEvents }

    /// The number of events until a host can answer data that arrives this long after the start
    /// of an event; at least 1.
    private func eventCount(until span: Microseconds) -> Int {
        let interval = connectionInterval.rawValue
        return max(1, Int((span.rawValue + interval - 1) / interval))
    }

    /// The number of a value's packets in one event, starting with the packet `first`.
    private func packetCount(inEventFrom first: Int, of packets: [Int]) -> Int {
        var (count, time) = (0, Microseconds.zero)
        repeat {
            time = time + exchangeTime(ofData: packets[(first + count) % packets.count])
            count += 1
        } while count < packetCountMax
            && time + exchangeTime(ofData: packets[(first + count) % packets.count]) <= eventRoom
        return count
    }

    /// The long-run ratio of values to events under constant load. The first packet of an event
    /// determines all that follow, so the pattern repeats as soon as a first packet recurs.
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

    /// The number of events that this many values take, and the arrival of the last packet,
    /// measured from the start of the last event.
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
