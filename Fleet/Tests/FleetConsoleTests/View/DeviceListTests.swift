import FleetModel
import Testing

@testable import FleetConsole

@Suite("Lists of devices")
struct DeviceListTests {
    private func fleet(_ count: Int) -> FleetView {
        var view = FleetView()
        for number in 0..<count {
            switch number % 4 {
            case 0: view.see(Sample.device(number))
            case 1: view.see(Sample.device(number, .given))
            case 2: view.see(Sample.device(number, .given, .lent))
            default: view.see(Sample.device(number, .given, .lent, .failed(Sample.refusal)))
            }
        }
        return view
    }

    private func query(_ change: (inout DeviceQuery) -> Void) -> DeviceQuery {
        var query = DeviceQuery()
        change(&query)
        return query
    }

    @Test("Pages have 200 devices, in their order, and together every device once")
    func pages() {
        var view = fleet(450)
        var names: [String] = []
        for page in 0..<3 {
            let list = view.devices(query { $0.page = page })
            #expect(list.deviceCount == 450)
            #expect(list.pageCount == 3)
            #expect(list.rows.count == (page < 2 ? 200 : 50))
            names += list.rows.map(\.record.id.text)
        }
        #expect(names == names.sorted())
        #expect(Set(names).count == 450)
        let beyond = view.devices(query { $0.page = 3 })
        #expect(beyond.rows.isEmpty)
        var empty = FleetView()
        let nothing = empty.devices(DeviceQuery())
        #expect(nothing.pageCount == 1)
    }

    @Test("Each filter leaves out what it isn't for")
    func filters() {
        var view = fleet(40)
        func count(_ change: (inout DeviceQuery) -> Void) -> Int {
            view.devices(query(change)).deviceCount
        }
        #expect(count { _ in } == 40)
        #expect(count { $0.state = .failed } == 10)
        #expect(count { $0.state = .updated } == 0)
        #expect(count { $0.campaign = Sample.spring } == 30)
        #expect(count { $0.reason = Sample.refusal.detail } == 10)
        #expect(count { $0.reason = "another" } == 0)
        #expect(count { $0.hardware = HardwareName("meter") } == 0)
        #expect(count { $0.group = GroupName("hall") } == 0)
        // lamp-1 and lamp-10 to lamp-19.
        #expect(count { $0.search = "AMP-1" } == 11)
        #expect(count { $0.search = "lamp-39x" } == 0)
        #expect(count { $0.search = String(repeating: "l", count: 64) } == 0)
        view.see(Sample.sighting(-60), Sample.name(0))
        view.see(Sample.sighting(-60), Sample.name(2))
        #expect(count { $0.gateway = Sample.east } == 11)
        #expect(count { ($0.gateway, $0.isLent) = (Sample.east, true) } == 10)
        #expect(count { $0.gateway = Sample.west } == 0)
    }

    @Test("Names that come and go stay in order", arguments: 0..<20 as Range<UInt64>)
    func names(seed: UInt64) {
        print("seed \(seed)")
        var random = Random(state: seed)
        var index = NameIndex<Int>()
        var known: Set<Int> = []
        for _ in 0..<300 {
            let name = Int.random(in: 0..<60, using: &random)
            if known.insert(name).inserted {
                index.add(name)
            } else if Bool.random(using: &random) {
                known.remove(name)
                index.remove(name)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                let names = index.names()
                #expect(names == known.sorted())
            }
        }
        let names = index.names()
        #expect(names == known.sorted())
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
