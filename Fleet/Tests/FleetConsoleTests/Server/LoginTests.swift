import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetConsole

@Suite("The console's door", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct LoginTests {
    @Test("Nobody sees anything without a session, and everything says what a browser may do")
    func outside() async throws {
        let site = try await Site()
        for path in ["/", "/devices", "/devices/lamp-1", "/gateways", "/failures"] {
            let answer = try await site.client.get(path)
            #expect(answer.status == 303 && answer.headers["location"] == "/login", "\(path)")
            #expect(answer.body.isEmpty)
        }
        for path in ["/api/fleet", "/api/devices", "/events", "/metrics"] {
            let answer = try await site.client.get(path)
            #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
        }
        let wrong = try await site.client.get("/api/fleet", ["Authorization": "Bearer wrong"])
        #expect(wrong.status == 401 && wrong.body.contains("This is not the console's token."))
        let pause = try await site.client.post("/campaigns/spring/pause", "")
        #expect(pause.status == 303 && pause.headers["location"] == "/login")
        for path in ["/login", "/", "/console.css", "/console.js", "/api/fleet", "/nowhere"] {
            let headers = try await site.client.get(path).headers
            let policy = try #require(headers["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
            #expect(!policy.contains("unsafe"))
            #expect(headers["x-content-type-options"] == "nosniff")
            #expect(headers["referrer-policy"] == "same-origin")
            #expect(headers["cache-control"] != nil)
        }
        let page = try await site.client.get("/login").body
        #expect(page.firstMatch(of: /style=|onclick|https?:/) == nil, "the policy forbids these")
    }

    @Test("The token begins a session, whose cookie no script and no other site can use")
    func session() async throws {
        let site = try await Site()
        let answer = try await site.client.post("/login", "token=\(site.token.text)")
        #expect(answer.status == 303 && answer.headers["location"] == "/")
        let field = try #require(answer.headers["set-cookie"])
        #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        let session = ["Cookie": try #require(answer.cookie)]
        let page = try await site.client.get("/", session)
        #expect(page.status == 200 && page.headers["cache-control"] == "no-store")
        #expect(page.body.contains("<title>Overview"))
        #expect(!page.body.contains(site.token.text))

        let secret = try await site.formSecret(session)
        let logout = try await site.client.post("/logout", secret, session)
        #expect(logout.status == 303 && logout.headers["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try await site.client.get("/", session).status == 303)
    }

    @Test("Behind a proxy with TLS, the cookie is for TLS only")
    func secure() async throws {
        let site = try await Site(isBehindTLS: true)
        let answer = try await site.client.post("/login", "token=\(site.token.text)")
        #expect(answer.headers["set-cookie"]?.contains("; Secure") == true)
    }

    @Test("A wrong token is refused, and after five of them an address has to wait")
    func wrong() async throws {
        let site = try await Site(isBehindTLS: true)
        func status(_ token: String, from address: String) async throws -> Int {
            let headers = ["X-Forwarded-For": "10.0.0.1, \(address)"]
            let answer = try await site.client.post("/login", "token=\(token)", headers)
            #expect(answer.headers["set-cookie"] == nil || answer.status == 303)
            return answer.status
        }
        for token in ["", "x", Secret.random().text, site.token.text.uppercased(), "%"] {
            #expect(try await status(token, from: "10.0.0.2") == 403)
        }
        #expect(try await status(Secret.random().text, from: "10.0.0.2") == 429)
        #expect(try await status(site.token.text, from: "10.0.0.2") == 429)
        #expect(try await status(site.token.text, from: "10.0.0.3") == 303)
        let limited = try await site.client.get(
            "/api/fleet",
            ["Authorization": "Bearer \(site.token.text)", "X-Forwarded-For": "10.0.0.2"]
        )
        #expect(limited.status == 429 && limited.headers["retry-after"] == "10")
    }

    @Test("A form counts only from a page of the same session")
    func forgery() async throws {
        let site = try await Site()
        try await site.store.campaigns.create(Sample.spring, Sample.campaign(.start(.init(4)!)))
        let (mine, other) = (try await site.logIn(), try await site.logIn())
        let secret = try await site.formSecret(mine)
        let path = "/campaigns/spring/pause"
        func status(_ form: String, _ more: [String: String] = [:]) async throws -> Int {
            let headers = mine.merging(more) { $1 }
            return try await site.client.post(path, form, headers).status
        }
        #expect(try await status("") == 403)
        #expect(try await status("secret=\(Secret.random().text)") == 403)
        #expect(try await status(try await site.formSecret(other)) == 403)
        #expect(try await status(secret, ["Sec-Fetch-Site": "cross-site"]) == 403)
        #expect(try await status(secret, ["Origin": "https://elsewhere.example"]) == 403)
        let login = try await site.client.post(
            "/login",
            "token=\(site.token.text)",
            ["Sec-Fetch-Site": "cross-site"]
        )
        #expect(login.status == 403 && login.cookie == nil)
        // The token alone reads; it doesn't steer.
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        #expect(try await site.client.post(path, secret, bearer).headers["location"] == "/login")
        #expect(try await site.phase() == .running(stage: 0, population: .init(4)!))
        // Logging another out is no harm that a page elsewhere can do.
        #expect(try await site.client.post("/logout", "", mine).status == 403)
        let origin = ["Origin": "http://127.0.0.1:\(site.client.port)"]
        #expect(try await status(secret, origin) == 303)
        #expect(try await site.phase() == .paused(stage: 0, population: .init(4)!))
    }
}
