import FleetModel

/// How well a gateway hears a device.
struct Ear: Sendable {
    let gateway: GatewayNumber
    let strength: Strength
}

/// The gateways that hear each device: a list for each, in one array, with 12 bytes for a gateway.
struct EarTable: Sendable {
    /// Where the list of a device begins that nobody hears.
    static let none = UInt32.max
    /// More gateways can't update a device better. With 200 that hear all of a million devices, the
    /// rest would take 2 GB.
    static let countMax = 16

    private struct Entry {
        var ear: Ear
        var next: UInt32
    }

    private var entries: [Entry] = []
    private var free = none

    func ears(from first: UInt32) -> EarList { EarList(self, first) }

    /// A list of ears, the last that came first.
    struct EarList: Sequence, IteratorProtocol {
        private let table: EarTable
        private var index: UInt32

        fileprivate init(_ table: EarTable, _ first: UInt32) {
            self.table = table
            index = first
        }

        mutating func next() -> Ear? {
            guard index != EarTable.none else { return nil }
            let entry = table.entries[Int(index)]
            index = entry.next
            return entry.ear
        }
    }

    /// Takes in how well a gateway hears a device.
    ///
    /// - Parameter first: where the list of the device begins.
    /// - Returns: whether it is new that the gateway hears it. A gateway that hears it worse than
    ///   ``countMax`` others isn't kept.
    mutating func hear(_ ear: Ear, _ first: inout UInt32) -> Bool {
        var (index, count) = (first, 0)
        var weakest = first
        while index != Self.none {
            if entries[Int(index)].ear.gateway == ear.gateway {
                entries[Int(index)].ear = ear
                return false
            }
            if entries[Int(index)].ear.strength < entries[Int(weakest)].ear.strength {
                weakest = index
            }
            count += 1
            index = entries[Int(index)].next
        }
        if count == Self.countMax {
            guard entries[Int(weakest)].ear.strength < ear.strength else { return false }
            entries[Int(weakest)].ear = ear
        } else {
            first = add(ear, before: first)
        }
        return true
    }

    private mutating func add(_ ear: Ear, before next: UInt32) -> UInt32 {
        let entry = Entry(ear: ear, next: next)
        guard free != Self.none else {
            entries.append(entry)
            return UInt32(entries.count - 1)
        }
        let index = free
        free = entries[Int(index)].next
        entries[Int(index)] = entry
        return index
    }

    /// A gateway hears the device no longer.
    mutating func forget(_ gateway: GatewayNumber, _ first: inout UInt32) {
        var (index, last) = (first, Self.none)
        while index != Self.none, entries[Int(index)].ear.gateway != gateway {
            (last, index) = (index, entries[Int(index)].next)
        }
        guard index != Self.none else { return }
        let next = entries[Int(index)].next
        if last == Self.none { first = next } else { entries[Int(last)].next = next }
        entries[Int(index)].next = free
        free = index
    }
}
