package import FleetModel
package import NATS

/// What a fleet keeps on the server: a bucket for each kind of value.
///
/// | bucket | key | value | who writes it |
/// | --- | --- | --- | --- |
/// | `fleet-campaigns` | campaign | ``Campaign`` | operator, active controller |
/// | `fleet-devices` | device | ``DeviceRecord`` | active controller |
/// | `fleet-orders` | gateway.device | ``Order`` | active controller |
/// | `fleet-seat` | `active` | ``Seat`` | controllers |
/// | `fleet-gateways` | gateway | ``GatewayStatus`` | that gateway |
/// | `fleet-sightings` | gateway.device | ``Sighting`` | that gateway |
/// | `fleet-reports` | gateway.device | ``Report`` | that gateway |
/// | `fleet-progress` | campaign | ``Progress`` | active controller |
/// | `fleet-keys` | device | ``DeviceKey`` | operator |
/// | `fleet-images` | digest.`info`, digest.number | ``StoredImage``, bytes | operator |
///
/// ``AuditLog`` is a stream beside them.
///
/// The names say who may write, so that a server can enforce it by subject.
package struct FleetStore: Sendable {
    package let connection: NATSConnection
    package let campaigns: Shelf<CampaignID, Campaign>
    package let devices: Shelf<DeviceID, DeviceRecord>
    package let orders: Shelf<DeviceAtGateway, Order>
    package let seat: Shelf<Identifier<Seat>, Seat>
    package let gateways: Shelf<GatewayID, GatewayStatus>
    package let sightings: Shelf<DeviceAtGateway, Sighting>
    package let reports: Shelf<DeviceAtGateway, Report>
    package let progress: Shelf<CampaignID, Progress>
    package let keys: Shelf<DeviceID, DeviceKey>
    package let images: ImageShelf
    package let audit: AuditLog

    /// The key of the one seat.
    package static let activeSeat = Identifier<Seat>("active")!

    /// The revisions that are kept of each device's record, for people: a job that succeeds at the
    /// first attempt writes three (given, lent, ended), so these are the last two or three
    /// campaigns. A million devices with records of 250 bytes take 2 GB at most.
    package static let deviceHistory = BucketConfiguration.History(8)!

    fileprivate init(_ connection: NATSConnection, _ buckets: [Part: Bucket]) {
        self.connection = connection
        campaigns = Shelf(bucket: buckets[.campaigns]!)
        devices = Shelf(bucket: buckets[.devices]!)
        orders = Shelf(bucket: buckets[.orders]!)
        seat = Shelf(bucket: buckets[.seat]!)
        gateways = Shelf(bucket: buckets[.gateways]!)
        sightings = Shelf(bucket: buckets[.sightings]!)
        reports = Shelf(bucket: buckets[.reports]!)
        progress = Shelf(bucket: buckets[.progress]!)
        keys = Shelf(bucket: buckets[.keys]!)
        images = ImageShelf(bucket: buckets[.images]!)
        audit = AuditLog(connection: connection)
    }

    /// The buckets, by the end of their names.
    package enum Part: String, CaseIterable, Sendable {
        case campaigns, devices, orders, seat, gateways, sightings, reports, progress, keys, images

        package var bucket: BucketName { BucketName("fleet-\(rawValue)")! }
    }

    /// Makes what isn't there yet, on so many servers.
    package static func create(
        on connection: NATSConnection,
        replicas: ReplicaCount
    ) async throws(FleetStoreError) -> FleetStore {
        var buckets: [Part: Bucket] = [:]
        for part in Part.allCases {
            var configuration = part.configuration
            configuration.replicaCount = replicas
            do { buckets[part] = try await connection.createBucket(configuration) } catch {
                throw .nats(error)
            }
        }
        do { try await AuditLog.create(on: connection, replicas: replicas) } catch {
            throw .nats(error)
        }
        return FleetStore(connection, buckets)
    }

    /// Whether everything is there that ``create(on:replicas:)`` makes.
    package static func isWhole(
        on connection: NATSConnection
    ) async throws(FleetStoreError) -> Bool {
        do {
            for part in Part.allCases { _ = try await connection.bucket(part.bucket) }
            _ = try await connection.state(of: AuditLog.stream)
        } catch {
            guard error == .notFound else { throw .nats(error) }
            return false
        }
        return true
    }

    /// Opens what an operator has made.
    ///
    /// - Throws: ``FleetStoreError/noStore`` if there is none.
    package static func open(
        on connection: NATSConnection
    ) async throws(FleetStoreError) -> FleetStore {
        var buckets: [Part: Bucket] = [:]
        for part in Part.allCases {
            do { buckets[part] = try await connection.bucket(part.bucket) } catch {
                throw error == .notFound ? .noStore : .nats(error)
            }
        }
        return FleetStore(connection, buckets)
    }

    /// Opens what a gateway uses of a fleet, which asks for nothing else: a gateway isn't permitted
    /// to ask which buckets there are, or to read what belongs to another.
    ///
    /// - Throws: ``FleetStoreError/noStore`` if there is none.
    package static func open(
        for gateway: GatewayID,
        on connection: NATSConnection
    ) async throws(FleetStoreError) -> FleetStore {
        var buckets: [Part: Bucket] = [:]
        for part in Part.allCases {
            buckets[part] = connection.bucket(part.bucket, reading: .anyServer)
        }
        let store = FleetStore(connection, buckets)
        do throws(FleetStoreError) {
            _ = try await store.gateways.get(gateway)
        } catch {
            switch error {
            // There is a bucket, in which the gateway has written nothing yet.
            case .nats(.notFound): break
            // Nobody answers for a bucket that isn't there.
            case .nats(.disconnected) where connection.serverVersion != nil: throw .noStore
            default: throw error
            }
        }
        return store
    }
}

extension FleetStore {
    /// Whether the store answers: whether most of the servers that keep it hear of one another. A
    /// server that is left alone reads values to whoever asks, so that says nothing.
    ///
    /// Only for who may ask what a stream is, so not for gateways.
    package var isAnswering: Bool {
        get async {
            do throws(NATSError) {
                return try await seat.bucket.state().hasMajority
            } catch {
                return error == .busy
            }
        }
    }
}

extension FleetStore.Part {
    /// The largest value of the model has 602 bytes; the rest is for what later versions add.
    private static let valueByteCountMax = 2_048

    /// How its bucket is made.
    ///
    /// Gateways write sightings and reports under names that they make up, so one of them could
    /// fill the disk, or the bucket, in which the others then could not write. So the oldest
    /// values go when there is 1 GiB of them: three million of 350 bytes, with their keys and
    /// headers, as three gateways write that hear a million devices. A sighting is written again
    /// after 10 minutes, and a report that is gone costs a push that ends at once.
    package var configuration: BucketConfiguration {
        var configuration = BucketConfiguration(bucket)
        switch self {
        case .campaigns, .orders, .seat, .gateways, .progress, .keys:
            configuration.valueByteCountMax = Self.valueByteCountMax
        case .devices:
            configuration.valueByteCountMax = Self.valueByteCountMax
            configuration.history = FleetStore.deviceHistory
        case .sightings, .reports:
            configuration.valueByteCountMax = Self.valueByteCountMax
            configuration.byteCountMax = 1 << 30
            configuration.forgetsOldest = true
        case .images: configuration.valueByteCountMax = StoredImage.chunkByteCount
        }
        return configuration
    }
}
