package import FleetModel
package import NATS

/// The part of the servers' configuration that says who may do what. It is the same on all servers
/// of a fleet, and follows from the public keys of its users.
package struct AccountsFile: Sendable {
    package let users: [Role: NKey]
    package let gateways: [GatewayID: NKey]

    package init(users: [Role: NKey], gateways: [GatewayID: NKey]) {
        self.users = users
        self.gateways = gateways
    }

    package var text: String {
        """
        # Who may do what in the fleet. Made by bleota-fleet init, and replaced by the next one.
        accounts {
          FLEET {
            jetstream: enabled
            users: [

        """
            + Role.single.map(user).joined()
                + """
                    ]
                    exports: [

                """ + Permissions.exports.map(export).joined()
                + """
                    ]
                  }

                """ + gateways.sorted { $0.key < $1.key }.map(account).joined()
                + """
                }

                """
    }

    private func user(_ role: Role) -> String {
        guard let key = users[role] else { return "" }
        return "      # \(role.name)\n" + Self.user(key, role)
    }

    private static func user(_ key: NKey, _ role: Role) -> String {
        let inbox = ConnectionOptions.Credentials.inboxPrefix(of: key)
        let subjects = Permissions.subjects(for: role).map { "\"\($0)\"" }
        let list = subjects.joined(separator: ",\n          ")
        return """
                  { nkey: \(key), permissions: {
                    publish: [
                      \(list)
                    ]
                    subscribe: "\(inbox).>"
                  } }

            """
    }

    private func export(_ subject: String) -> String {
        let kind = Permissions.hasManyAnswers(subject) ? ", response_type: stream" : ""
        return "      { service: \"\(subject)\"\(kind) }\n"
    }

    /// A gateway has one connection, and a second while the server hasn't noticed that the first
    /// is gone. It subscribes twice, and 30 times more are no harm. Its largest message is a report
    /// of less than 1 KiB with its headers.
    private func account(_ gateway: GatewayID, _ key: NKey) -> String {
        let imports = Permissions.imports(of: gateway).map {
            "      { service: { account: FLEET, subject: \"\($0)\" } }\n"
        }
        return """
              gateway-\(gateway) {
                limits: { max_connections: 4, max_subscriptions: 32, max_payload: 4096 }
                users: [

            """ + Self.user(key, .gateway(gateway))
                + """
                    ]
                    imports: [

                """ + imports.joined()
                    + """
                        ]
                      }

                    """
    }
}
