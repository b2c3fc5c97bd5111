/// Every metric of the fleet's programs.
///
/// The table in docs/fleet.md and the dashboard use these names, and tests compare them.
package enum FleetMetric: String, CaseIterable, Sendable {
    // Any of the three.
    case program = "bleota_fleet_program_info"
    case serverIsConnected = "bleota_fleet_server_connected"
    case droppedSeries = "bleota_fleet_dropped_series_total"

    case gatewayPlaces = "bleota_fleet_gateway_places"
    case gatewayActivePushes = "bleota_fleet_gateway_active_pushes"
    case gatewayPushSeconds = "bleota_fleet_gateway_push_seconds"
    case gatewayFailures = "bleota_fleet_gateway_failures_total"
    case gatewayStoredBytes = "bleota_fleet_gateway_stored_bytes_total"
    case gatewayIgnoredOrders = "bleota_fleet_gateway_ignored_orders_total"
    case gatewayAdapterFailures = "bleota_fleet_gateway_adapter_failures_total"

    case controllerIsActive = "bleota_fleet_controller_active"
    case controllerLoans = "bleota_fleet_controller_loans_total"
    case controllerOutcomes = "bleota_fleet_controller_outcomes_total"
    case controllerPhases = "bleota_fleet_controller_campaign_phases_total"
    case controllerFalseClaims = "bleota_fleet_controller_false_claims_total"
    case controllerUnreadableValues = "bleota_fleet_controller_unreadable_values_total"

    case devices = "bleota_fleet_devices"
    case gateways = "bleota_fleet_gateways"
    case campaigns = "bleota_fleet_campaigns"
    case campaignDevices = "bleota_fleet_campaign_devices"
    case campaignSelectedDevices = "bleota_fleet_campaign_selected_devices"
    case consoleSessions = "bleota_fleet_console_sessions"
    case consoleStreams = "bleota_fleet_console_streams"
    case consoleLogins = "bleota_fleet_console_logins_total"
}

extension FleetMetric {
    /// How Prometheus treats the numbers of a metric.
    package enum Kind: String, Sendable {
        /// A number that only grows until the program ends.
        case counter
        /// A number that grows and falls.
        case gauge
        /// A number for each range of values, and their sum.
        case histogram
        /// The sum and the number of values.
        case summary
    }

    package var kind: Kind {
        switch self {
        case .gatewayPushSeconds: .histogram
        case .droppedSeries, .gatewayFailures, .gatewayStoredBytes, .gatewayIgnoredOrders,
            .gatewayAdapterFailures, .controllerLoans, .controllerOutcomes, .controllerPhases,
            .controllerFalseClaims, .controllerUnreadableValues, .consoleLogins:
            .counter
        case .program, .serverIsConnected, .gatewayPlaces, .gatewayActivePushes,
            .controllerIsActive, .devices, .gateways, .campaigns, .campaignDevices,
            .campaignSelectedDevices, .consoleSessions, .consoleStreams:
            .gauge
        }
    }

    /// The names of its labels.
    package var labels: [String] {
        switch self {
        case .program: ["role", "version"]
        case .gatewayPushSeconds, .controllerOutcomes, .consoleLogins: ["outcome"]
        case .gatewayFailures: ["kind"]
        case .controllerPhases, .campaigns: ["phase"]
        case .devices, .gateways: ["state"]
        case .campaignDevices: ["campaign", "state"]
        case .campaignSelectedDevices: ["campaign"]
        default: []
        }
    }

    /// What it counts, for people.
    package var help: String {
        switch self {
        case .program: "1, with the program's role and version"
        case .serverIsConnected: "1 while the store on the NATS servers answers, else 0"
        case .droppedSeries: "Series that were left out because there are too many"
        case .gatewayPlaces: "Devices that the gateway updates at once"
        case .gatewayActivePushes: "Pushes under way"
        case .gatewayPushSeconds: "Duration of pushes, by outcome"
        case .gatewayFailures: "Pushes that failed, by kind"
        case .gatewayStoredBytes: "Bytes of images that devices have stored durably"
        case .gatewayIgnoredOrders: "Orders that the gateway couldn't read or had no room for"
        case .gatewayAdapterFailures: "Times at which the adapter or the folder of sockets failed"
        case .controllerIsActive: "1 while this controller is the active one, else 0"
        case .controllerLoans: "Devices lent to gateways"
        case .controllerOutcomes: "Jobs that have ended, by outcome"
        case .controllerPhases: "Phases that campaigns have come to"
        case .controllerFalseClaims: "Reports of gateways that claim what isn't so"
        case .controllerUnreadableValues: "Values in the store that couldn't be read"
        case .devices: "Devices by state"
        case .gateways: "Gateways by state"
        case .campaigns: "Campaigns by phase"
        case .campaignDevices: "Devices that were given a campaign's job, by state"
        case .campaignSelectedDevices: "Devices that a campaign is for"
        case .consoleSessions: "Sessions that are logged in"
        case .consoleStreams: "Browsers that follow the fleet live"
        case .consoleLogins: "Logins by outcome"
        }
    }
}
