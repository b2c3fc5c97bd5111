/// A queue whose operations take amortized constant time, regardless of its length.
struct Fifo<Element> {
    private var elements: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    var count: Int { elements.count - head }

    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element. The queue must not be empty.
    mutating func removeFirst() -> Element {
        precondition(!isEmpty)
        let first = elements[head]
        head += 1
        // At least half of the array is unused, so moving the remaining elements costs no more than
        // adding them did.
        if head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
