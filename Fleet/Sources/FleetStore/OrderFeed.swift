package import FleetModel
package import NATS

/// The orders of one gateway, as it gets them: through a feed that the active controller has made
/// for it.
///
/// A gateway isn't permitted to watch a bucket. A server delivers what a watch sees to whatever
/// subject the client names, with its own rights. So a gateway that could make a watch could write
/// into the records of devices.
package struct OrderFeed: Sendable {
    /// After this pause an order that stands is given again, to a gateway that has started anew. A
    /// lease is silent for six times as long before it ends. With ten thousand orders, it is a
    /// thousand messages in a second.
    private static let pause = Duration.seconds(10)
    /// Twice the orders that a gateway keeps.
    private static let ordersMax = UInt16(2 * OrderBook.ordersMax)

    private let feed: BucketFeed

    fileprivate init(_ feed: BucketFeed) { self.feed = feed }

    /// What has come of orders, some of it again; nothing if nothing came in time.
    package func next(
        within limit: Duration
    ) async throws(FleetStoreError) -> [Shelf<DeviceAtGateway, Order>.Change] {
        do {
            return try await feed.next(within: limit).map { .init(.entry($0)) }
        } catch {
            throw .nats(error)
        }
    }

    /// The name of a gateway's feed.
    package static func name(of gateway: GatewayID) -> ConsumerName {
        // The rules of the two names are the same.
        ConsumerName(gateway.text)!
    }

    fileprivate static func create(
        for gateway: GatewayID,
        in bucket: Bucket
    ) async throws(NATSError) {
        try await bucket.createFeed(
            name(of: gateway),
            of: DeviceAtGateway.all(of: gateway),
            again: pause,
            keysMax: ordersMax
        )
    }
}

extension FleetStore {
    /// Makes the feed of a gateway, if it isn't there yet.
    package func createOrderFeed(of gateway: GatewayID) async throws(FleetStoreError) {
        do { try await OrderFeed.create(for: gateway, in: orders.bucket) } catch {
            throw .nats(error)
        }
    }

    /// Opens the feed of a gateway, which a controller may still have to make.
    package func orderFeed(of gateway: GatewayID) async throws(FleetStoreError) -> OrderFeed {
        do {
            return OrderFeed(try await orders.bucket.feed(OrderFeed.name(of: gateway)))
        } catch {
            throw .nats(error)
        }
    }
}
