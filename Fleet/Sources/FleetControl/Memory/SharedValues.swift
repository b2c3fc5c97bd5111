/// Values that many devices have alike, each once, with a number from 1. One that nobody has any
/// more is forgotten, and its number given to another.
struct SharedValues<Value: Hashable & Sendable>: Sendable {
    private struct Entry {
        let value: Value
        var useCount: Int
    }

    private var entries: [Entry?] = []
    private var numbers: [Value: UInt32] = [:]
    private var free: [UInt32] = []

    /// One more than the largest number.
    var numberEnd: Int { entries.count + 1 }

    subscript(number: UInt32) -> Value {
        guard let value = value(number) else { preconditionFailure("no value \(number)") }
        return value
    }

    /// The value with a number; `nil` if nobody has it.
    func value(_ number: UInt32) -> Value? { entries[Int(number) - 1]?.value }

    /// Counts one more who has a value.
    mutating func add(_ value: Value) -> UInt32 {
        if let number = numbers[value] {
            entries[Int(number) - 1]?.useCount += 1
            return number
        }
        let entry = Entry(value: value, useCount: 1)
        let number = free.popLast() ?? UInt32(entries.count) + 1
        if Int(number) > entries.count {
            entries.append(entry)
        } else {
            entries[Int(number) - 1] = entry
        }
        numbers[value] = number
        return number
    }

    /// Counts one less; 0 for none.
    mutating func remove(_ number: UInt32) {
        guard number != 0, let entry = entries[Int(number) - 1] else { return }
        guard entry.useCount == 1 else {
            entries[Int(number) - 1]?.useCount -= 1
            return
        }
        entries[Int(number) - 1] = nil
        numbers[entry.value] = nil
        free.append(number)
    }
}
