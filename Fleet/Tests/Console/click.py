"""Uses the console as an operator does, in a headless Chromium.

Each step is a function whose name says what it does; they run in this order, in one browser.
"""

import argparse
import http.client
import shutil
import sys
import urllib.parse
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from prometheus_client.parser import text_string_to_metric_families

import looks
from fleet import Failure, Fleet, eventually

CAMPAIGN = "spring-lights"
# A campaign and a device have this name.
LONG = "something-that-somebody-described-with-as-many-bytes-as-possible"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


class Clicks:
    def __init__(self, fleet, shots):
        self.fleet = fleet
        self.shots = shots
        self.token_file = fleet.path / "console.token"
        self.base = fleet.serve(
            "console", "console", "--token", self.token_file, "--listen", "127.0.0.1:0"
        )
        self.token = self.token_file.read_text().strip()

    def open(self, browser):
        self.context = browser.new_context(viewport=WIDE, reduced_motion="reduce")
        self.context.set_default_timeout(30_000)
        self.page = self.context.new_page()
        self.complaints = []
        # Whether the console is away, so that the browser can't load what it asks for.
        self.is_away = False
        # Violations of the policy and errors of the script are written to the browser's console.
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def note(self, message):
        # The answer to a wrong token is one as well.
        if self.is_away and "net::ERR_" in message.text:
            return
        if message.type == "error" and "403 (Forbidden)" not in message.text:
            self.complaints.append(message.text)

    def goto(self, path):
        self.page.goto(urllib.parse.urljoin(self.base, path))

    def status_of_campaign(self):
        return self.page.locator(".headline .chip").inner_text()

    def picture(self, name):
        if self.shots:
            self.page.screenshot(path=self.shots / f"{name}.png", full_page=True)

    # The steps.

    def wrong_token(self):
        self.goto("/")
        expect(self.page).to_have_url(urllib.parse.urljoin(self.base, "/login"))
        self.page.get_by_label("Token").fill("0" * 64)
        self.page.get_by_role("button", name="Log in").click()
        expect(self.page.get_by_role("alert")).to_have_text("That is not the token.")
        self.picture("login-refused")

    def right_token(self):
        self.page.get_by_label("Token").fill(self.token)
        self.page.get_by_role("button", name="Log in").click()
        expect(self.page).to_have_title("Overview · bleota fleet")
        expect(self.page.get_by_role("status").first).to_have_text("live")
        cookies = self.context.cookies()
        check(len(cookies) == 1, f"one cookie: {cookies}")
        check(cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Strict", f"{cookies}")

    def open_a_campaign(self):
        self.page.get_by_role("link", name=CAMPAIGN, exact=True).first.click()
        expect(self.page.locator("h1")).to_have_text(CAMPAIGN)
        check(self.status_of_campaign() == "running, stage 3 of 4", self.status_of_campaign())
        expect(self.page.locator(".stagelist li")).to_have_count(4)

    def cancel_a_pause(self):
        self.page.get_by_role("button", name="Pause…").click()
        dialog = self.page.get_by_role("dialog", name=f"Pause {CAMPAIGN}?")
        expect(dialog).to_be_visible()
        self.picture("pause")
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_be_hidden()
        check(self.fleet.phase(CAMPAIGN) == "running", "a cancelled pause must change nothing")

    def pause(self):
        self.page.get_by_role("button", name="Pause…").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Pause").click()
        expect(self.page.locator(".headline .chip")).to_have_text("paused, stage 3 of 4")
        check(self.fleet.phase(CAMPAIGN) == "paused", "the campaign must be paused")

    def resume(self):
        self.page.get_by_role("button", name="Resume…").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Resume").click()
        expect(self.page.locator(".headline .chip")).to_have_text("running, stage 3 of 4")
        check(self.fleet.phase(CAMPAIGN) == "running", "the campaign must go on")

    def forged_forms(self):
        """Whoever has the cookie alone, as another site's page would, changes nothing."""
        address = urllib.parse.urljoin(self.base, f"/campaigns/{CAMPAIGN}/pause")
        for form in [{}, {"secret": "0" * 64}]:
            answer = self.page.request.post(address, form=form, max_redirects=0)
            check(answer.status == 403, f"{form}: {answer.status}")
        # A real form, from a real other site.
        forger = self.context.new_page()
        forger.goto("data:text/html,<form method=post><button>Win</button></form>")
        forger.evaluate("address => document.forms[0].action = address", address)
        forger.get_by_role("button", name="Win").click()
        expect(forger).to_have_url(urllib.parse.urljoin(self.base, "/login"))
        forger.close()
        check(self.fleet.phase(CAMPAIGN) == "running", "a forged form must change nothing")

    def progress_without_a_reload(self):
        self.page.evaluate("window.isTheSame = true")
        updated = self.page.locator(".legend li", has_text="updated").locator(".number")
        before = int(updated.inner_text())
        stage = self.page.locator(".stagelist li").nth(2)
        self.fleet.tell("move 10")
        expect(updated).to_have_text(str(before + 10))
        expect(stage).to_contain_text("of 200 devices")
        check(self.page.evaluate("window.isTheSame === true"), "the page was loaded again")

    def failures_by_reason(self):
        self.page.get_by_role("navigation").get_by_role("link", name="Failures").click()
        rows = self.page.locator(".rows li")
        expect(rows).to_have_count(5)
        expect(rows.first).to_contain_text("3 devices")
        expect(rows.first).to_contain_text("Refused by the device · winter-lights")
        rows.first.get_by_role("link").first.click()
        expect(self.page.locator(".found")).to_have_text("3 devices")
        expect(self.page.locator("tbody tr")).to_have_count(3)

    def devices_by_state(self):
        self.goto("/devices")
        expect(self.page.locator("tbody tr")).to_have_count(200)
        self.page.get_by_label("State").select_option("failed")
        self.page.get_by_role("button", name="Show").click()
        expect(self.page.locator(".found")).to_have_text("7 devices")
        check(set(self.page.locator("tbody .chip").all_inner_texts()) == {"failed"}, "states")
        self.page.get_by_label("Name").fill("LAMP-004")
        self.page.get_by_role("button", name="Show").click()
        expect(self.page.locator("tbody tr")).to_have_count(1)

    def history_of_a_device(self):
        self.page.locator("tbody").get_by_role("link", name="lamp-0040").click()
        expect(self.page.locator("h1")).to_have_text("lamp-0040")
        events = self.page.locator(".history li")
        expect(events.first).to_contain_text("Failed: the image is for other hardware")
        check(events.count() >= 3, f"{events.count()} events")

    def devices_of_a_gateway(self):
        self.page.get_by_role("navigation").get_by_role("link", name="Gateways").click()
        expect(self.page.locator("tbody tr")).to_have_count(6)
        self.page.get_by_role("link", name="roof-north").click()
        expect(self.page.locator("h1")).to_have_text("roof-north")
        lent = self.page.locator("section[aria-labelledby=lent] tbody tr")
        check(lent.count() >= 3, f"{lent.count()} devices")
        expect(lent.first.locator(".chip")).to_have_text("updating")

    def keyboard_alone(self):
        """From the first page to a paused campaign and back, without a mouse."""
        self.goto("/")
        keyboard = self.page.keyboard
        keyboard.press("Tab")
        expect(self.page.get_by_role("link", name="Skip to the content")).to_be_focused()
        keyboard.press("Enter")
        self.tab_to(CAMPAIGN)
        keyboard.press("Enter")
        expect(self.page.locator("h1")).to_have_text(CAMPAIGN)
        self.tab_to("Pause…")
        outline = self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        check(outline == "solid", f"the focus must be seen, not {outline}")
        keyboard.press("Enter")
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        # Something changes meanwhile: what is being answered stays.
        self.fleet.tell("move 2")
        keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        self.tab_to("Pause…", isFocused=True)
        keyboard.press("Enter")
        self.tab_to("Pause")
        keyboard.press("Enter")
        expect(self.page.locator(".headline .chip")).to_have_text("paused, stage 3 of 4")
        self.tab_to("Resume…")
        keyboard.press("Enter")
        self.tab_to("Resume")
        keyboard.press("Enter")
        expect(self.page.locator(".headline .chip")).to_have_text("running, stage 3 of 4")

    def tab_to(self, name, isFocused=False):
        text = "document.activeElement?.textContent.trim()"
        for _ in range(0 if isFocused else 60):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(text) == name:
                return
        check(self.page.evaluate(text) == name, f"no way to {name!r} with the keyboard")

    def phone_and_dark(self):
        """Every page, wide and narrow, light and dark."""
        self.fleet.tell("beat")
        paths = {
            "overview": "/", "campaign": f"/campaigns/{CAMPAIGN}",
            "paused": "/campaigns/meter-fix", "stopped": "/campaigns/winter-lights",
            "ready": "/campaigns/garage-trial", "finished": "/campaigns/first-lights",
            "long": f"/campaigns/{LONG}", "devices": "/devices?state=updating",
            "failed-devices": "/devices?state=failed", "long-device": f"/devices/{LONG}",
            "none": "/devices?search=nothing", "audit": "/audit",
            "device": "/devices/lamp-0040", "busy": "/devices/lamp-0180",
            "gateways": "/gateways", "gateway": "/gateways/hall-1", "failures": "/failures",
            "nothing": "/devices/nobody",
        }
        for scheme in ["light", "dark"]:
            for size, viewport in [("wide", WIDE), ("phone", PHONE)]:
                self.page.set_viewport_size(viewport)
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                for name, path in paths.items():
                    self.goto(path)
                    self.look(f"{name}-{size}-{scheme}")
        self.page.set_viewport_size(WIDE)
        # The last of the pages is one that isn't there, and the browser says so.
        self.complaints = [text for text in self.complaints if "404 (Not Found)" not in text]

    def look(self, name, live="live"):
        if self.page.locator("#live").count():
            expect(self.page.locator("#live")).to_have_text(live)
        self.picture(name)
        found = looks.problems(self.page)
        check(not found, f"{name}: " + "; ".join(found[:5]))

    def why_a_campaign_was_stopped(self):
        """What an operator has to know, from what the controller counted last."""
        self.goto("/campaigns/winter-lights")
        expect(self.page.locator(".callout h2")).to_have_text(
            "Stopped in stage 1: too many failures")
        expect(self.page.locator(".callout")).to_contain_text(
            "3 devices failed. Of the first 10 devices, the plan allows 0 to fail (2\u202f%).")
        expect(self.page.locator(".stagelist li").first).to_contain_text("3 of 10 devices")
        expect(self.page.locator(".stagelist li").first).to_contain_text("stopped here")

    def audit(self):
        """Each pause and each resumption is written down, with who did it."""
        self.page.get_by_role("link", name="Audit").click()
        lines = self.page.locator(".history li")
        expect(lines).to_have_count(4)
        expect(lines.first).to_contain_text(f"console resumed {CAMPAIGN}, by browser at 127.0.0.1")
        expect(lines.nth(1)).to_contain_text(f"console paused {CAMPAIGN}")

    def server_away(self):
        """The pages stay, and say since when they are old."""
        self.goto(f"/campaigns/{CAMPAIGN}")
        self.fleet.kill(self.fleet.server)
        notice = self.page.locator("main .notice.warning")
        expect(notice).to_contain_text("The fleet’s store can’t be reached since")
        expect(self.page.locator("#live")).to_have_text("server away")
        for name, path in [("campaign", f"/campaigns/{CAMPAIGN}"), ("device", "/devices/lamp-0040"),
                           ("audit", "/audit")]:
            self.goto(path)
            self.look(f"away-{name}", live="server away")
            expect(notice).to_be_visible()
        self.fleet.start_server(self.fleet.address.split(":")[1])
        expect(self.page.locator("#live")).to_have_text("live")
        expect(notice).to_be_hidden()

    def console_away(self):
        """An open page says that it is old."""
        self.goto("/login")
        self.page.set_viewport_size(WIDE)
        self.right_token()
        away = self.page.locator("#away")
        expect(away).to_be_hidden()
        self.is_away = True
        self.fleet.kill(self.fleet.services["console"])
        expect(away).to_be_visible()
        self.look("away-console", live="reconnecting")

    def log_out(self):
        self.goto("/")
        self.page.get_by_role("button", name="Log out").click()
        expect(self.page).to_have_url(urllib.parse.urljoin(self.base, "/login"))
        self.look("login-wide-dark")
        self.page.set_viewport_size(PHONE)
        self.look("login-phone-dark")
        self.goto("/devices")
        expect(self.page).to_have_url(urllib.parse.urljoin(self.base, "/login"))
        check(self.context.cookies() == [], "the cookie must be gone")

    def metrics(self):
        """What the console, a gateway and a controller say, as Prometheus understands it."""
        bearer = {"Authorization": f"Bearer {self.token}"}
        console = families(urllib.parse.urljoin(self.base, "/metrics"), bearer)
        devices = {s.labels["state"]: s.value for s in console["bleota_fleet_devices"].samples}
        check(sum(devices.values()) == 1_240 and devices["failed"] == 7, f"{devices}")
        logins = {
            s.labels["outcome"]: s.value for s in console["bleota_fleet_console_logins"].samples
        }
        check(logins == {"accepted": 1, "refused": 1}, f"{logins}")
        sockets = self.fleet.path / "sockets"
        sockets.mkdir()
        gateway = families(self.fleet.serve(
            "gateway", "gateway", "--name", "metrics", "--cache", self.fleet.path / "cache",
            "--sockets", sockets, "--metrics", "127.0.0.1:0",
        ) + "metrics")
        check(gateway["bleota_fleet_gateway_active_pushes"].samples[0].value == 0, "pushes")
        check(gateway["bleota_fleet_gateway_stored_bytes"].type == "counter", "bytes")
        controller = self.fleet.serve("controller", "controller", "--metrics", "127.0.0.1:0")
        eventually("the controller is active", lambda: families(controller + "metrics")[
            "bleota_fleet_controller_active"].samples[0].value == 1)

    STEPS = [
        wrong_token, right_token, open_a_campaign, cancel_a_pause, pause, resume, forged_forms,
        progress_without_a_reload, failures_by_reason, devices_by_state, history_of_a_device,
        devices_of_a_gateway, keyboard_alone, why_a_campaign_was_stopped, audit, phone_and_dark,
        server_away, log_out, metrics, console_away,
    ]

    def run(self):
        for step in self.STEPS:
            step(self)
            check(not self.complaints, f"the browser complains: {self.complaints}")
            print(f"passed: {step.__name__.replace('_', ' ')}", flush=True)


def families(address, headers=None):
    """The metrics of an address by their names."""
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.request("GET", parts.path, headers=headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    check(answer.status == 200, f"{address}: {answer.status}")
    check(answer.getheader("Content-Type").startswith("text/plain; version=0.0.4"), "type")
    found = {family.name: family for family in text_string_to_metric_families(text)}
    for name, family in found.items():
        check(family.documentation, f"{name} says nothing of itself")
    return found


def check(condition, what):
    if not condition:
        raise Failure(what)


# A busy machine loads a page in seconds.
expect.set_options(timeout=30_000)


def main():
    parser = argparse.ArgumentParser()
    for name in ["--nats-server", "--tool", "--fleet"]:
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--shots", type=Path)
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    fleet = Fleet(options.nats_server, options.tool, options.fleet)
    try:
        clicks = Clicks(fleet, options.shots)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            clicks.open(browser)
            try:
                clicks.run()
            except Exception:
                clicks.picture("failed")
                raise
            finally:
                browser.close()
    finally:
        fleet.end()


if __name__ == "__main__":
    try:
        main()
    except (Failure, AssertionError) as failure:
        sys.exit(f"click.py: {failure}")
