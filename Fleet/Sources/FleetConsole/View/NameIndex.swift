/// Names in their order, for pages of a list. Adding many between two readings costs one merge.
struct NameIndex<Kind>: Sendable where Kind: Comparable & Sendable {
    private var sorted: [Kind] = []
    private var added: [Kind] = []

    /// Adds a name that isn't there.
    mutating func add(_ name: Kind) { added.append(name) }

    mutating func remove(_ name: Kind) {
        merge()
        let index = sorted.partitioningIndex { $0 >= name }
        if index < sorted.count, sorted[index] == name { sorted.remove(at: index) }
    }

    mutating func removeAll() { (sorted, added) = ([], []) }

    /// All names in their order.
    mutating func names() -> [Kind] {
        merge()
        return sorted
    }

    private mutating func merge() {
        guard !added.isEmpty else { return }
        added.sort()
        var merged: [Kind] = []
        merged.reserveCapacity(sorted.count + added.count)
        var index = 0
        for name in added {
            while index < sorted.count, sorted[index] < name {
                merged.append(sorted[index])
                index += 1
            }
            merged.append(name)
        }
        merged += sorted[index...]
        (sorted, added) = (merged, [])
    }
}

extension Array {
    /// The first index whose element `isAfter`, of elements that are not and then are.
    fileprivate func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
