public import BLEOTA
import BlueZ

extension Endpoint {
    /// An endpoint that makes this machine a Bluetooth device to which other machines push
    /// images. It offers and advertises the bleota service.
    ///
    /// ```swift
    /// let receiver = FirmwareReceiver(
    ///     at: .bluetooth(advertising: "kitchen"),
    ///     storingIn: try DirectoryStore(directory: "/var/lib/device"),
    ///     accepting: .signed(by: [key])
    /// )
    /// ```
    ///
    /// The service and its advertisement are restored automatically after the daemon restarts and
    /// after the adapter is switched on again.
    ///
    /// - Parameters:
    ///   - name: the device name to advertise, 1 to 29 bytes of UTF-8; the adapter's name by
    ///     default.
    ///   - adapter: the name or address of the adapter; the first powered adapter by default.
    ///   - firmwareVersion: the version of the running firmware, which centrals can read; 0 to 18
    ///     bytes of UTF-8. Up to 9 bytes are also advertised (``AdvertisedFirmware``).
    ///   - wantsUpdate: whether to advertise that the device wants an update.
    ///   - attMTU: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - security: the security that a central's link needs before a session can begin.
    ///   - showPasskey: shows six digits to the person who types them on the central; required
    ///     for ``LinkSecurity/authenticated``.
    public static func bluetooth(
        advertising name: String? = nil,
        adapter: String? = nil,
        firmwareVersion: String = "",
        wantsUpdate: Bool = false,
        attMTU: Int = 517,
        security: LinkSecurity = .open,
        showPasskey: (@Sendable (_ digits: String) -> Void)? = nil
    ) -> Endpoint {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        precondition(
            security != .authenticated || showPasskey != nil,
            "showPasskey must not be nil, because someone must see the digits"
        )
        return Endpoint(description: name ?? "Bluetooth") { (_) throws(TransferError) in
            do throws(BlueZError) {
                return try await BluetoothLinks(
                    adapter: adapter,
                    name: name,
                    firmwareVersion: firmwareVersion,
                    wantsUpdate: wantsUpdate,
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
