/// The number of a manufacturer, as it is in the data of advertisements.
public enum CompanyIdentifier {
    /// The company, if it is one of the few known here. In English.
    public static func name(of number: UInt16) -> String? { CompanyNames.table[number] }
}
