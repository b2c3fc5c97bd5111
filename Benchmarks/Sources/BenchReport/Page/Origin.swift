/// Where figures come from. Every plot and table says it.
enum Origin: String {
    case simulated
    case measured

    var badge: String { "<span class=\"badge \(rawValue)\">\(rawValue)</span>" }
}
