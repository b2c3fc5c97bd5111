extension BluetoothUUID {
    /// What it is called, if Bluetooth assigns it and it is one of the common ones: `Battery` for
    /// 180f. In English.
    public var name: String? {
        guard let number else { return nil }
        return ServiceNames.table[number] ?? CharacteristicNames.table[number]
            ?? DescriptorNames.table[number]
    }
}
