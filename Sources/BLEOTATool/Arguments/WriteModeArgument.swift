import ArgumentParser
import BLEOTA

/// The argument of `--write-mode`: `with-response` or `without-response`.
enum WriteModeArgument: String, ExpressibleByArgument, CaseIterable {
    case withResponse = "with-response"
    case withoutResponse = "without-response"

    var delivery: Datagram.Delivery { self == .withResponse ? .withResponse : .withoutResponse }
}
