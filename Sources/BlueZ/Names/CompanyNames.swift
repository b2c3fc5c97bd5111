/// A few companies by the number that Bluetooth assigns (assigned numbers, 7.1).
enum CompanyNames {
    static let table: [UInt16: String] = [
        0x0000: "Ericsson", 0x0001: "Nokia", 0x0002: "Intel", 0x0003: "IBM", 0x0004: "Toshiba",
        0x0006: "Microsoft", 0x000A: "Qualcomm", 0x000D: "Texas Instruments", 0x000F: "Broadcom",
        0x0030: "STMicroelectronics", 0x004C: "Apple", 0x0059: "Nordic Semiconductor",
        0x0075: "Samsung", 0x0087: "Garmin", 0x00E0: "Google", 0x0171: "Amazon",
        0x02E5: "Espressif", 0x02FF: "Silicon Labs", 0x05F1: "Linux Foundation",
        0xFFFF: "for tests",
    ]
}
