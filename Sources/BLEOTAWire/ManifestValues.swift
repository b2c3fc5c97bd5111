/// Where in a manifest the values of its attributes stand, as far as their types are known.
package struct ManifestValues: Sendable, BitwiseCopyable {
    private var starts = InlineArray<16, UInt32>(repeating: 0)

    /// Where the value of an attribute of a known type begins; 0, where none can begin, if the
    /// manifest does not have it.
    package subscript(type: ManifestAttributeType) -> Int {
        get { Int(truncatingIfNeeded: starts[ManifestAttributeForm.index(of: type)]) }
        set {
            starts[ManifestAttributeForm.index(of: type)] = UInt32(truncatingIfNeeded: newValue)
        }
    }
}

extension ManifestValues: Hashable {
    package static func == (left: ManifestValues, right: ManifestValues) -> Bool {
        left.starts.indices.allSatisfy { left.starts[$0] == right.starts[$0] }
    }

    package func hash(into hasher: inout Hasher) {
        for index in starts.indices { hasher.combine(starts[index]) }
    }
}
