extension BluetoothUUID {
    /// The English name of a common UUID that Bluetooth assigns, such as `Battery` for 180f;
    /// `nil` for any other UUID.
    public var name: String? {
        guard let number else { return nil }
        return ServiceNames.table[number] ?? CharacteristicNames.table[number]
            ?? DescriptorNames.table[number]
    }
}
