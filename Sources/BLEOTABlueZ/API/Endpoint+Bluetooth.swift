public import BLEOTA
import BlueZ

extension Endpoint {
    /// This machine as a Bluetooth device that others push to: the bleota service and its
    /// advertisement.
    ///
    /// ```swift
    /// let receiver = FirmwareReceiver(
    ///     at: .bluetooth(advertising: "kitchen"),
    ///     storingIn: try DirectoryStore(directory: "/var/lib/device"),
    ///     accepting: .signed(by: [key])
    /// )
    /// ```
    ///
    /// Service and advertisement come back by themselves after a restart of the daemon, and when
    /// the adapter is switched on again.
    ///
    /// - Parameters:
    ///   - name: 1 to 29 bytes in UTF-8; by default the adapter's.
    ///   - adapter: the name or address of the adapter; by default the first that is on.
    ///   - firmwareVersion: what centrals can read of what runs, 0 to 18 bytes in UTF-8.
    ///   - attMTU: frames are made for no larger ATT_MTU than this, 23 to 517.
    ///   - security: what the link of a central has to be before it can begin a session.
    ///   - showPasskey: shows six digits to whoever types them at the central; needed for
    ///     ``LinkSecurity/authenticated``.
    public static func bluetooth(
        advertising name: String? = nil,
        adapter: String? = nil,
        firmwareVersion: String = "",
        attMTU: Int = 517,
        security: LinkSecurity = .open,
        showPasskey: (@Sendable (_ digits: String) -> Void)? = nil
    ) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        precondition(
            security != .authenticated || showPasskey != nil,
            "somebody has to see the digits"
        )
        return Endpoint(description: name ?? "Bluetooth") { (_) throws(TransferError) in
            do throws(BlueZError) {
                return try await BluetoothLinks(
                    adapter: adapter,
                    name: name,
                    firmwareVersion: firmwareVersion,
                    attMTU: attMTU,
                    security: security,
                    showPasskey: showPasskey ?? { _ in }
                )
            } catch {
                throw TransferError(.cannotConnect("\(error)"))
            }
        }
    }
}
