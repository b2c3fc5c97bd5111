// Keeps a page current, and opens its dialogs. Without it, pages still show and filter everything.
"use strict";

// MARK: - Dialogs

document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-opens]");
    if (button) document.getElementById(button.dataset.opens)?.showModal();
});

// MARK: - The page, loaded again

/** Makes `old` the same as `now`, without touching what is the same already: so the focus stays. */
function morph(old, now) {
    // Somebody reads or answers this.
    if (old.tagName === "DIALOG" && old.open) return;
    for (const { name } of [...old.attributes]) {
        if (!now.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of now.attributes) {
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    // What somebody has typed or chosen stays.
    if (["INPUT", "SELECT"].includes(old.tagName)) return;
    morphChildren(old, now);
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.dataset.key : undefined);
const isAlike = (a, b) =>
    a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

function morphChildren(old, now) {
    const keyed = new Map();
    for (const child of old.children) if (keyOf(child)) keyed.set(keyOf(child), child);
    let place = old.firstChild;
    for (const next of [...now.childNodes]) {
        const known = keyOf(next) && keyed.get(keyOf(next));
        if (known && known !== place) old.insertBefore(known, place);
        const same = known || (place && isAlike(place, next) ? place : null);
        if (!same) {
            old.insertBefore(document.importNode(next, true), place);
        } else {
            if (same === place) place = place.nextSibling;
            if (same.nodeType === Node.ELEMENT_NODE) morph(same, next);
            else if (same.nodeValue !== next.nodeValue) same.nodeValue = next.nodeValue;
        }
    }
    while (place) {
        const gone = place;
        place = place.nextSibling;
        gone.remove();
    }
}

let isLoading = false;
let isDue = false;
let lastLoad = 0;
let pause = 1000;

/** Loads the page again, at most once in `pause`, and only while somebody sees it. */
async function refresh() {
    isDue = true;
    if (isLoading || document.hidden) return;
    isLoading = true;
    await new Promise((go) => setTimeout(go, Math.max(0, lastLoad + pause - Date.now())));
    isDue = false;
    lastLoad = Date.now();
    try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        // The session is over.
        if (answer.redirected) return location.reload();
        if (answer.ok) {
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            morph(document.getElementById("main"), page.getElementById("main"));
        }
    } catch {
        // The console is away; the stream says so, and begins again by itself.
    } finally {
        isLoading = false;
    }
    if (isDue) refresh();
}

document.addEventListener("visibilitychange", () => {
    if (!document.hidden && isDue) refresh();
});

// MARK: - Events

const live = document.getElementById("live");
const away = document.getElementById("away");

function say(state, words) {
    live.dataset.live = state;
    const word = live.querySelector(".word");
    if (word.textContent !== words) word.textContent = words;
}

if (live) {
    const stream = new EventSource("/events");
    let isFirst = true;
    stream.addEventListener("fleet", (event) => {
        const fleet = JSON.parse(event.data);
        pause = fleet.refreshMilliseconds;
        away.hidden = true;
        if (fleet.isConnected) say("on", "live");
        else say("off", "server away");
        // The page has just been loaded.
        if (!isFirst) refresh();
        isFirst = false;
    });
    stream.addEventListener("over", () => {
        stream.close();
        location.reload();
    });
    stream.addEventListener("error", () => {
        say("off", "reconnecting");
        away.hidden = false;
        isFirst = false;
        // A browser gives up when the answer is no stream, as after the end of a session.
        if (stream.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
    });
}
