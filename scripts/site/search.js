// The search over all pages and symbols: the index was made with the site, and is loaded with the
// first letter. An entry is [title, heading, address, text].
"use strict";

let searchIndex = null;

(() => {
    const root = document.currentScript.dataset.root;
    const form = document.querySelector(".search");
    const input = form.querySelector("input");
    const results = form.querySelector(".results");
    const resultCountMax = 20;

    // The list of pages is open where it stands beside the text.
    const pages = document.querySelector(".pages");
    const isWide = matchMedia("(min-width: 56.01rem)");
    const open = () => { pages.open = isWide.matches; };
    isWide.addEventListener("change", open);
    open();

    function load() {
        if (searchIndex !== null || document.getElementById("index")) return;
        const script = document.createElement("script");
        script.id = "index";
        script.src = root + "assets/index.js";
        script.onload = show;
        document.head.append(script);
    }

    // Every word has to be there; titles and headings count more than the text.
    function score([title, heading, , text], words) {
        let sum = 0;
        for (const word of words) {
            const places = [[title, 10], [heading, 8], [text, 1]];
            const found = places.filter(([place]) => place.toLowerCase().includes(word));
            if (found.length === 0) return 0;
            sum += Math.max(...found.map(([place, weight]) => {
                const lower = place.toLowerCase();
                return lower === word ? 4 * weight : lower.startsWith(word) ? 2 * weight : weight;
            }));
        }
        return sum;
    }

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        results.hidden = words.length === 0 || searchIndex === null;
        if (results.hidden) return;
        const found = searchIndex.map((entry) => [score(entry, words), entry])
            .filter(([points]) => points > 0)
            .sort((one, other) => other[0] - one[0]).slice(0, resultCountMax);
        results.replaceChildren(...found.map(([, entry]) => item(entry, words)));
        if (found.length === 0) results.append(Object.assign(document.createElement("li"), {
            textContent: "Nothing has all of these words.",
        }));
    }

    function item([title, heading, address, text], words) {
        const link = document.createElement("a");
        link.href = root + address;
        link.textContent = heading ? `${title}: ${heading}` : title;
        const line = document.createElement("p");
        const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
        mark(line, text.slice(at, at + 160), words);
        const item = document.createElement("li");
        item.append(link, line);
        return item;
    }

    function mark(line, text, words) {
        const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
        for (const piece of text.split(new RegExp(`(${escaped.join("|")})`, "i"))) {
            const isWord = words.includes(piece.toLowerCase());
            line.append(isWord ? Object.assign(document.createElement("mark"), {
                textContent: piece,
            }) : piece);
        }
    }

    input.addEventListener("focus", load);
    input.addEventListener("input", () => { load(); show(); });
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        const first = results.querySelector("a");
        if (first) location.href = first.href;
    });
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") results.hidden = true;
        if (event.key === "/" && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        }
    });
    document.addEventListener("click", (event) => {
        if (!form.contains(event.target)) results.hidden = true;
    });
})();
