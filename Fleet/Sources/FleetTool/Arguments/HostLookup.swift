import Glibc
import NATS

extension ServerAddress {
    /// Why the host has no address, in the words of the system; `nil` if it has one. It asks the
    /// name servers of this machine, and blocks meanwhile.
    var lookupProblem: String? {
        if isIPv6 { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &found)
        guard status != 0 else {
            freeaddrinfo(found)
            return nil
        }
        return String(cString: gai_strerror(status))
    }
}
