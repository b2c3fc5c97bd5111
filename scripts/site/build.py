#!/usr/bin/env python3
"""Builds the site from the pages of the repository:

    build.py DOCC REPORT SITE

DOCC is the documentation of the modules (scripts/docs.sh), REPORT the plots of the benchmarks (make
bench-report), which may be missing, and SITE the folder to make. Each page keeps its path, with
.html in place of .md, so links between pages stay as they are. A source that a page links to gets a
page below source/; links to folders of Sources and Tests lead to the repository's address.
"""

import html
import json
import pathlib
import posixpath
import re
import shutil
import sys

from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
# Where the documentation catalogues say that the sources are.
REPOSITORY = "https://github.com/bleota/bleota/blob/main/"

# The pages in the order of the navigation: its headings, and the pages with their short names.
NAVIGATION = [
    ("Start", [
        ("README.md", "What bleota is"),
        ("docs/bluetooth.md", "Push over Bluetooth"),
        ("docs/receive.md", "Run a receiver"),
        ("docs/update-devices.md", "Devices you already have"),
    ]),
    ("Use", [
        ("docs/sign.md", "Sign and seal images"),
        ("docs/devices.md", "Update your own devices"),
        ("docs/agents.md", "Call it from an agent"),
        ("docs/send-less.md", "Send less"),
        ("docs/measure.md", "Measure a link"),
        ("docs/simulate.md", "Simulate transfers"),
        ("docs/troubleshoot.md", "Troubleshoot"),
        ("docs/reference.md", "Command reference"),
    ]),
    ("Build", [
        ("docs/embed.md", "Embed the library"),
        ("docs/transport.md", "Write a transport"),
        ("docs/microcontroller.md", "Microcontrollers"),
        ("Embedded/README.md", "For makers of devices"),
        ("docs/api.md", "The public interface"),
        ("docs/architecture.md", "Architecture"),
    ]),
    ("Rely on", [
        ("docs/stability.md", "What is stable"),
        ("SECURITY.md", "Security"),
        ("docs/comparison.md", "Comparison"),
        ("Benchmarks/README.md", "Benchmarks"),
        ("CHANGELOG.md", "Changelog"),
        ("CONTRIBUTING.md", "Contributing"),
    ]),
    ("Protocol", [
        ("spec/bleota.md", "The protocol"),
        ("spec/bundle.md", "Bundles"),
        ("spec/security.md", "Attackers and defenses"),
        ("spec/registry.md", "Registry"),
        ("spec/notes.md", "Reasons"),
    ]),
]
# Where else pages are, besides those of the navigation.
FOLDERS = ["docs", "spec", "Benchmarks", "Embedded/Guides", "Embedded/Device", "Tests/Frozen"]
DOCC_LINK = "documentation/"


def main():
    docc, report, site = (pathlib.Path(argument) for argument in sys.argv[1:])
    if site.exists():
        shutil.rmtree(site)
    # DocC's own pages find their parts from the root of the site.
    shutil.copytree(docc, site)
    pages = all_pages()
    entries = []
    for path in pages:
        page = Page(path, pages)
        target = site / page.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(framed(page, report.is_dir()), encoding="utf-8")
        entries += page.entries
    copy_linked_files(site)
    write_sources(site, report.is_dir())
    if report.is_dir():
        shutil.copytree(report, site / "report")
        entries.append(["Plots of simulated links", "", "report/index.html", ""])
    entries += symbols(site)
    write_assets(site, entries)
    print(f"{len(pages)} pages, {len(entries)} entries to search")


def all_pages():
    listed = [path for _, pages in NAVIGATION for path, _ in pages]
    missing = [path for path in listed if not (ROOT / path).is_file()]
    if missing:
        sys.exit("build.py: there are no pages " + ", ".join(missing))
    found = {path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")}
    pages = listed + sorted(found - set(listed))
    # Those that a page links to are pages, too, wherever they are.
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+\.md)", (ROOT / page).read_text(encoding="utf-8")):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
            if path not in pages:
                pages.append(path)
    return pages


def target_of(path):
    """Where the page of a Markdown file is: a README is the page of its folder."""
    folder, name = posixpath.split(path)
    return posixpath.join(folder, "index.html" if name == "README.md" else name[:-3] + ".html")


def slug(heading):
    """The name that GitHub gives to a heading, which links between pages use."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


class Page:
    def __init__(self, path, pages):
        self.path = path
        self.target = target_of(path)
        self.depth = self.target.count("/")
        self.pages = set(pages)
        markdown = MarkdownIt("commonmark", {"highlight": highlighted}).enable("table")
        anchors_plugin(markdown, max_level=4, slug_func=slug)
        self.tokens = markdown.parse((ROOT / path).read_text(encoding="utf-8"))
        for token, following in zip(self.tokens, self.tokens[1:] + self.tokens[-1:]):
            for child in token.children or []:
                if child.type == "link_open":
                    child.attrSet("href", self.link(child.attrGet("href")))
            if token.type == "td_open":
                # On a phone, a table with much text scrolls rather than being squeezed.
                length = len(plain(following))
                token.attrSet("class", "short" if length <= 16 else "long" if length > 60 else "")
        self.title, self.headings, self.entries = self.outline()
        body = markdown.renderer.render(self.tokens, markdown.options, {})
        # A wide table scrolls within itself, so that a phone shows the text at its own width.
        body = body.replace("<table>", '<div class="wide"><table>')
        self.body = body.replace("</table>", "</table></div>")

    def up(self, path):
        return "../" * self.depth + path

    def link(self, href):
        """The link from this page on the site, for a link of the Markdown file."""
        if re.match(r"[a-z]+:", href) or href.startswith("#"):
            return href
        path, hash, anchor = href.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
        if (ROOT / path).is_dir() and path + "/README.md" in self.pages:
            path += "/README.md"
        if path in self.pages:
            return self.up(target_of(path)) + hash + anchor
        if path in LINKED_FILES:
            return self.up(path)
        if not (ROOT / path).exists():
            sys.exit(f"build.py: {self.path}: {href}: there is no {path}")
        if (ROOT / path).is_dir() and path.split("/")[0] in ("Sources", "Tests"):
            return REPOSITORY + path
        LINKED_SOURCES.add(path)
        return self.up(source_target(path))

    def outline(self):
        """The title, the headings with their anchors, and what the search finds: for each heading,
        the title of the page, the heading, the address and the text below it."""
        title, headings, entries, text = None, [], [], []
        for index, token in enumerate(self.tokens):
            if token.type == "heading_open":
                heading = plain(self.tokens[index + 1])
                if title is None:
                    title = heading
                    entries.append([title, "", self.target, text := []])
                    continue
                anchor = token.attrGet("id")
                if token.tag == "h2":
                    headings.append((heading, anchor))
                entries.append([title, heading, f"{self.target}#{anchor}" if anchor else self.target, text := []])
            elif token.type == "inline" and self.tokens[index - 1].type != "heading_open":
                text.append(plain(token))
            elif token.type in ("fence", "code_block"):
                text.append(token.content)
        if title is None:
            sys.exit(f"build.py: {self.path} has no heading")
        return title, headings, [[*entry[:3], " ".join(" ".join(entry[3]).split())] for entry in entries]


# Files that pages link to and that belong to what the site publishes.
LINKED_FILES = {"docs/output.schema.json", "LICENSE"}


def copy_linked_files(site):
    for path in LINKED_FILES:
        shutil.copy(ROOT / path, site / path)


# The sources that pages link to, and the files of the folders that they link to.
LINKED_SOURCES = set()


def source_target(path):
    return f"source/{path}/index.html" if (ROOT / path).is_dir() else f"source/{path}.html"


def write_sources(site, plots):
    waiting = sorted(LINKED_SOURCES)
    while waiting:
        source = Source(waiting.pop())
        target = site / source.target
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(framed(source, plots), encoding="utf-8")
        waiting += source.entries


class Source:
    """The page of a source, or of a folder of them."""

    def __init__(self, path):
        self.path = self.title = path
        self.target = source_target(path)
        self.headings = []
        place = ROOT / path
        self.entries = []
        if place.is_dir():
            hidden = (".", "__")
            self.entries = [f"{path}/{entry.name}" for entry in sorted(place.iterdir())
                            if not entry.name.startswith(hidden) and entry.suffix != ".md"]
            items = "".join(f'<li><a href="{self.up(source_target(entry))}">{html.escape(posixpath.basename(entry))}'
                            f'{"/" if (ROOT / entry).is_dir() else ""}</a></li>' for entry in self.entries)
            text = f"<ul>{items}</ul>"
        else:
            text = f"<pre><code>{self.coloured(place)}</code></pre>"
        self.body = f"<h1>{html.escape(path).replace('/', '/<wbr>')}</h1>{text}"

    def up(self, path):
        return "../" * self.target.count("/") + path

    @staticmethod
    def coloured(place):
        code = place.read_text(encoding="utf-8")
        try:
            lexer = get_lexer_for_filename(place.name, code)
        except ClassNotFound:
            lexer = get_lexer_by_name("text")
        return highlight(code, lexer, HtmlFormatter(nowrap=True))


def plain(token):
    return "".join(child.content if child.type in ("text", "code_inline") else " " if child.type == "softbreak" else ""
                   for child in token.children or [])


def highlighted(code, language, _):
    """The code of a block, with its words marked for colours."""
    name = {"console": "console", "": "text"}.get(language, language)
    try:
        lexer = get_lexer_by_name(name)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return highlight(code, lexer, HtmlFormatter(nowrap=True))


def symbols(site):
    """What the search finds of the modules: each symbol and article, with its first sentence."""
    entries = []
    for path in sorted((site / "data" / "documentation").rglob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        title = page.get("metadata", {}).get("title")
        if not title:
            continue
        abstract = "".join(piece.get("text") or piece.get("code") or "" for piece in page.get("abstract", []))
        module = (page["metadata"].get("modules") or [{}])[0].get("name", "")
        address = path.relative_to(site / "data").with_suffix("").as_posix() + "/index.html"
        if (site / address).is_file():
            entries.append([title, module, address, abstract])
    return entries


def framed(page, plots):
    """The page with the navigation around it."""
    return (HERE / "page.html").read_text(encoding="utf-8").format(
        title=html.escape(page.title if page.path == "README.md" else f"{page.title} – bleota"),
        root=page.up(""),
        navigation=navigation(page, plots),
        body=page.body.replace("</h1>", "</h1>\n" + contents(page), 1),
    )


def navigation(page, plots):
    lines = []
    for heading, pages in NAVIGATION:
        lines.append(f"<h2>{heading}</h2><ul>")
        for path, name in pages:
            here = ' aria-current="page"' if path == page.path else ""
            lines.append(f'<li><a href="{page.up(target_of(path))}"{here}>{name}</a></li>')
        if heading == "Build":
            lines.append(f'<li><a href="{page.up(DOCC_LINK + "index.html")}">The modules</a></li>')
        if heading == "Rely on" and plots:
            lines.append(f'<li><a href="{page.up("report/index.html")}">Plots</a></li>')
        lines.append("</ul>")
    return "\n".join(lines)


def contents(page):
    if len(page.headings) < 3:
        return ""
    items = "".join(f'<li><a href="#{anchor}">{html.escape(name)}</a></li>' for name, anchor in page.headings)
    return f'<details class="contents"><summary>On this page</summary><ul>{items}</ul></details>'


def write_assets(site, entries):
    folder = site / "assets"
    folder.mkdir()
    light = HtmlFormatter(style="default").get_style_defs("pre code")
    dark = HtmlFormatter(style="github-dark").get_style_defs("pre code")
    style = (HERE / "style.css").read_text(encoding="utf-8")
    colours = f"{without_background(light)}\n@media (prefers-color-scheme: dark) {{\n{without_background(dark)}\n}}\n"
    (folder / "style.css").write_text(style + colours, encoding="utf-8")
    shutil.copy(HERE / "search.js", folder)
    index = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    # A script, not data: a page that was opened from a disk may not fetch anything.
    (folder / "index.js").write_text(f"searchIndex = {index};\n", encoding="utf-8")


def without_background(style):
    """The colours of words alone: blocks of code have the page's own background."""
    lines = [line for line in style.splitlines() if line.startswith("pre code .")]
    return "\n".join(re.sub(r"background-color: [^;}]+;?", "", line) for line in lines)


main()
