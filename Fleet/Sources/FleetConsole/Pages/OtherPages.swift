import FleetModel

/// All failures, grouped by reason.
struct FailuresPage {
    /// The reasons of one page: a gateway that makes up a new one each time fills no browser.
    static let reasonsMax = 200

    let groups: [CampaignView.FailureGroup]

    var html: HTML {
        let list = FailureList(groups: groups, shownMax: Self.reasonsMax, namesCampaign: true)
        let content: HTML =
            groups.isEmpty
            ? "<p class=\"card empty\">No device has failed.</p>"
            : "<div class=\"card\">\(list.html)</div>"
        let rest = groups.count - Self.reasonsMax
        let more: HTML = rest > 0 ? "<p class=\"soft\">and \(rest) rarer reasons</p>" : .empty
        return """
            <h1>Failures</h1>
            <p class="lead">Devices whose last attempt failed, by the reason that their gateway \
            gave.</p>
            \(content)\(more)
            """
    }
}

/// The page that asks for the token.
struct LoginPage {
    let problem: HTML?

    var html: HTML {
        let alert: HTML =
            problem.map { "<p class=\"notice warning\" role=\"alert\">\($0)</p>" } ?? .empty
        return """
            \(Shell.head("Log in"))
            <body class="login">
            <main id="main" class="card">
            <h1><img src="/icon.svg" alt="" width="40" height="40">bleota fleet</h1>
            \(alert)
            <form method="post" action="/login">
            <label for="token">Token</label>
            <input id="token" name="token" type="password" required autofocus \
            autocomplete="current-password" spellcheck="false" maxlength="128">
            <p class="soft small">It is in the file that <code>bleota-fleet console</code> was \
            given with <code>--token</code>.</p>
            <button type="submit" class="primary">Log in</button>
            </form>
            </main>
            </body>
            </html>

            """
    }
}

/// A page that says that something went wrong.
struct ProblemPage {
    let title: String
    let sentence: String

    var html: HTML {
        """
        \(Shell.head(title))
        <body class="login">
        <main id="main" class="card">
        <h1>\(title)</h1>
        <p>\(sentence)</p>
        <p><a href="/">Overview</a></p>
        </main>
        </body>
        </html>

        """
    }
}
