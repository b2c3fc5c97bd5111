import FleetModel
import Testing

@Suite("What a gateway does with its orders")
struct OrderBookTests {
    @Test("In every sequence of events, each order that stands is pushed once, in its place")
    func everySequence() {
        // One device sees seven events in any order, two devices five, with a place for one.
        #expect(OrderWorld.visit(devices: 1, depth: 7) > 10_000)
        #expect(OrderWorld.visit(devices: 2, depth: 5) > 10_000)
    }

    @Test("Orders wait for a place in the order in which they came")
    func waiting() {
        var book = OrderBook(places: 2)
        let devices = ["c", "a", "b", "d"].map { DeviceID($0)! }
        for device in devices { book.take(Sample.order(1), for: device) }
        #expect(book.nextAction() == .begin(devices[0], Sample.order(1)))
        #expect(book.nextAction() == .begin(devices[1], Sample.order(1)))
        #expect(book.nextAction() == nil)
        #expect(book.pushEnded(devices[1], .succeeded) == Sample.report(1, .succeeded))
        #expect(book.nextAction() == .begin(devices[2], Sample.order(1)))
        #expect(book.nextAction() == nil)
    }

    @Test("There are no more orders than the limit")
    func limit() {
        var book = OrderBook(places: 1)
        for number in 0..<OrderBook.ordersMax {
            #expect(book.take(Sample.order(1), for: DeviceID("device-\(number)")!) == true)
        }
        #expect(book.take(Sample.order(1), for: Sample.device) == false)
        book.withdraw(DeviceID("device-7")!)
        #expect(book.take(Sample.order(1), for: Sample.device) == true)
    }

    @Test("A gateway that ends gives back what waits and what stops, and reports what ended")
    func end() {
        var book = OrderBook(places: 2)
        let devices = ["a", "b", "c"].map { DeviceID($0)! }
        for device in devices { book.take(Sample.order(3), for: device) }
        while book.nextAction() != nil {}
        let reports = book.end()
        #expect(reports.map(\.0) == [devices[2]])
        #expect(reports.map(\.1) == [Sample.report(3, .returned)])
        #expect(book.nextAction() == .stop(devices[0]))
        #expect(book.nextAction() == .stop(devices[1]))
        #expect(book.nextAction() == nil)
        #expect(book.pushEnded(devices[0], .stopped) == Sample.report(3, .returned))
        #expect(!book.isIdle)
        #expect(book.pushEnded(devices[1], .succeeded) == Sample.report(3, .succeeded))
        #expect(book.isIdle)
        book.take(Sample.order(4), for: devices[0])
        #expect(book.nextAction() == nil)
    }
}
