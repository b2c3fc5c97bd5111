import BLEOTACore

/// A queue of events ordered by time; events at the same moment keep their insertion order.
struct EventQueue<Event> {
    private struct Entry {
        let moment: Instant
        let number: UInt64
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            moment != other.moment ? moment < other.moment : number < other.number
        }
    }

    private var heap: [Entry] = []
    private var numberNext: UInt64 = 0

    var nextMoment: Instant? { heap.first?.moment }

    var isEmpty: Bool { heap.isEmpty }

    mutating func put(_ event: Event, at moment: Instant) {
        heap.append(Entry(moment: moment, number: numberNext, event: event))
        numberNext += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func takeFirst() -> Event {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return first.event
    }
}
