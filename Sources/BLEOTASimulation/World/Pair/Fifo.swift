/// A queue whose both ends cost the same, however long it is.
struct Fifo<Element> {
    private var elements: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    var count: Int { elements.count - head }

    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first element. There must be one.
    mutating func removeFirst() -> Element {
        precondition(!isEmpty)
        let first = elements[head]
        head += 1
        // Half of it is free: moving the other half costs no more than filling it did.
        if head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
