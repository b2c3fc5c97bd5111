import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTAESPOTA

@Suite("Images for Espressif's OTA")
struct ImageTests {
    private let place = ToolDirectory()

    @Test("An ESP application is taken as it is")
    func application() throws {
        let bytes: [UInt8] = [0xE9, 5, 2, 0x20, 1, 2, 3]
        let image = try ESPImage(DevicePush.file(bytes, in: place))
        #expect(image.bytes == bytes)
        #expect(image.sha256 == FirmwareFile.sha256(of: bytes))
    }

    @Test("Other files are refused, and the error says what to build")
    func others() throws {
        let others: [[UInt8]] = [[0x7F, 0x45, 0x4C, 0x46], [0x50, 0x4B, 3], [0], [0xFF, 0xE9]]
        for bytes in others {
            let file = try DevicePush.file(bytes, in: place, name: "other.bin")
            let error = #expect(throws: FirmwareError.self) {
                _ = try ESPOTA().prepare(file, options: UpdateOptions())
            }
            #expect(error?.code == .unsuitable)
            let words =
                "other.bin is not an ESP application, because it does not begin with 0xE9; "
                + "build one with 'idf.py build', which makes build/NAME.bin."
            #expect(error?.description.hasSuffix(words) == true)
        }
    }

    @Test("A file that is larger than any flash is refused")
    func tooLarge() throws {
        let bytes = [0xE9] + [UInt8](repeating: 0, count: ESPImage.byteCountMax)
        let file = try DevicePush.file(bytes, in: place)
        let error = #expect(throws: FirmwareError.self) { _ = try ESPImage(file) }
        #expect(error?.code == .tooLarge)
    }

    @Test("The protocol is known by its service")
    func identity() {
        #expect(ESPOTA().name == "esp-ota")
        #expect(ESPOTA().services == ["00008018-0000-1000-8000-00805f9b34fb"])
    }
}
