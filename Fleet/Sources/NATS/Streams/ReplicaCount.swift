/// On how many servers something is stored. An odd number, because a write needs more than half of
/// them: one of 3 may be down, or two of 5.
package enum ReplicaCount: Int, Sendable, Hashable, CaseIterable {
    case one = 1
    case three = 3
    case five = 5
}
