import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Testing

@testable import BlueZ

/// What a device advertises about its firmware.
@Suite("Advertised firmware")
struct AdvertisedFirmwareTests {
    private struct Vector: Decodable {
        struct Input: Decodable { let data: Hex? }
        struct Output: Decodable {
            let version: String?
            let wantsUpdate: Bool?
        }

        let id: String
        let operation: String
        let input: Input
        let output: Output?
    }

    //= ADV-1
    //= ADV-2
    @Test(
        "Every service data of the vectors is read as stated, and what was written is written again"
    )
    func vectors() throws {
        let vectors = try VectorFile<Vector>.read("arithmetic").filter {
            $0.operation == "serviceData"
        }
        #expect(vectors.count > 20)
        for vector in vectors {
            let data = try #require(vector.input.data).bytes
            let output = try #require(vector.output)
            let firmware = AdvertisedFirmware(serviceData: data)
            #expect(firmware.version == output.version, "\(vector.id)")
            #expect(firmware.wantsUpdate == output.wantsUpdate, "\(vector.id)")
            let isOurForm = data.first == 0x80 || data.first == 0x81
            if isOurForm, data.count <= 10, firmware.version != nil || data.count == 1 {
                #expect(firmware.serviceData == data, "\(vector.id)")
            }
        }
    }

    //= ADV-3
    @Test("A version that does not fit is left out, and what is left fits an advertisement")
    func tooLong() throws {
        for byteCount in 0...20 {
            let version = String(repeating: "1", count: byteCount)
            let data = AdvertisedFirmware(version: version, wantsUpdate: true).serviceData
            #expect(data.count == (byteCount <= 9 ? 1 + byteCount : 1))
            let uuid = try #require(BluetoothUUID("7a3d0001-5c1e-4f0b-9b6a-e2c49d0f2d11"))
            let advertisement = Advertisement(serviceData: [uuid: data])
            try AdvertisementSize(advertisement).check(sentMax: 31, answeredMax: 31)
        }
    }
}
