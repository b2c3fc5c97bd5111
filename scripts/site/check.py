#!/usr/bin/env python3
"""Checks the site that build.py has made:

    check.py SITE SCHEMA

Every link of a page within the site leads to a file, and to an anchor in it. Every address of the
search index is a page. The published schema of --json is a JSON Schema.
"""

import html.parser
import json
import pathlib
import posixpath
import sys
import urllib.parse

import jsonschema


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.ids.add(values["id"])
        for name in ("href", "src"):
            if values.get(name):
                self.links.append(values[name])


def main():
    site, schema = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    jsonschema.Draft202012Validator.check_schema(json.loads(schema.read_text(encoding="utf-8")))
    pages = {}
    for path in site.rglob("*.html"):
        name = path.relative_to(site).as_posix()
        pages[name] = Links()
        pages[name].feed(path.read_text(encoding="utf-8"))
    dead, count = [], 0
    for name, page in pages.items():
        # DocC has checked its own pages, which a script draws.
        if name.startswith("documentation/"):
            continue
        for link in page.links:
            count += 1
            dead += problems(site, pages, name, link)
    index = (site / "assets" / "index.js").read_text(encoding="utf-8")
    for entry in json.loads(index[index.index("["):index.rindex("]") + 1]):
        count += 1
        dead += problems(site, pages, "index.html", entry[2])
    for line in dead:
        print(line, file=sys.stderr)
    if dead:
        sys.exit(f"check.py: {len(dead)} of {count} links are dead")
    if count < 1000:
        sys.exit(f"check.py: only {count} links were found")
    print(f"{count} links on {len(pages)} pages, none is dead")


def problems(site, pages, name, link):
    address = urllib.parse.urlsplit(link)
    if address.scheme or address.netloc:
        return []
    path = urllib.parse.unquote(address.path)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if not (site / target).is_file():
        return [f"{name}: {link}: there is no {target}"]
    anchor = urllib.parse.unquote(address.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return [f"{name}: {link}: {target} has no #{anchor}"]
    return []


main()
