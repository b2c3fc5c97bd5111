#!/usr/bin/env python3
"""Prints the bill of materials of a tool (SPDX 2.3, JSON): all that is in it, and the libraries that it loads.

    scripts/sbom.py [--fleet] --version VERSION --tool FILE [--licences FOLDER]

FILE is bleota, or with --fleet bleota-fleet, without symbols. The facts are those that scripts/build.sh left in the
folder .build of its package: the objects that were linked, the folders that these were compiled from, the archives
that the linker took members of, and the versions of the packages. A library or a package that is not in the tables below ends the script, so that none is left out.
FOLDER gets the licences of all that is in the tool. $SOURCE_DATE_EPOCH is the time of the document.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/bleota/bleota"
APACHE_WITH_EXCEPTION = "Apache-2.0 WITH Swift-exception"
# The licences of Swift packages, by what their LICENSE.txt says.
RUNTIME_EXCEPTION = "Runtime Library Exception to the Apache 2.0 License"
# What swift-crypto and swift-nio have in themselves: the module, the project, its licence, and the file with its version.
VENDORED = {
    "CCryptoBoringSSL": ("BoringSSL", "Apache-2.0 AND (MIT OR Apache-2.0 OR BSD-1-Clause)",
                         "https://boringssl.googlesource.com/boringssl", "hash.txt", r"revision ([0-9a-f]+)"),
    "CXKCP": ("XKCP", "CC0-1.0", "https://github.com/XKCP/XKCP", "vendored-sources.txt", r"master-\d+-g([0-9a-f]+)"),
    "CNIOLLHTTP": ("llhttp", "MIT", "https://github.com/nodejs/llhttp", "include/c_nio_llhttp.h",
                   r"_MAJOR (\d+)\n.*_MINOR (\d+)\n.*_PATCH (\d+)\n"),
}
# The static libraries of the toolchain, by project; the first name that fits counts.
TOOLCHAIN = [
    (r"lib_FoundationICU\.a", "swift-foundation-icu", f"({APACHE_WITH_EXCEPTION}) AND Unicode-3.0"),
    (r"lib(_Foundation|FoundationE|FoundationI).*\.a", "swift-foundation", APACHE_WITH_EXCEPTION),
    (r"lib(Foundation|CoreFoundation|_CF).*\.a", "swift-corelibs-foundation", APACHE_WITH_EXCEPTION),
    (r"lib(dispatch|BlocksRuntime|swiftDispatch)\.a", "swift-corelibs-libdispatch", APACHE_WITH_EXCEPTION),
    (r"libswift.*\.a", "swift", APACHE_WITH_EXCEPTION),
]
# The libraries of the system, by the Debian source package.
SYSTEM = {
    "dbus": "AFL-2.1 OR GPL-2.0-or-later",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-14": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "minizip": "Zlib",
    "nats.c": "Apache-2.0",
    "zlib": "Zlib",
}


def output_of(*command, folder=ROOT):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding="utf-8", cwd=folder).stdout


class Build:
    """The build of a tool."""

    def __init__(self, product, package):
        self.product, self.package, self.folder = product, package, package / ".build"


class Document:
    """The packages of the document, and how they are related."""

    def __init__(self):
        self.packages, self.relationships = {}, []

    def add(self, name, version, licence, location, relation, of, reference=None, **fields):
        """Adds a package once, and what it is to another one; returns its name in the document."""
        identifier = "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
        self.packages[identifier] = {
            "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": location,
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "supplier": "NOASSERTION", **fields}
        if reference:
            self.packages[identifier]["externalRefs"] = [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}]
        entry = {"spdxElementId": of, "relationshipType": relation, "relatedSpdxElement": identifier}
        if entry not in self.relationships:
            self.relationships.append(entry)
        return identifier


def linked_modules(build):
    """The Swift packages that the linked objects come from, each with its modules; None is this repository."""
    packages = {}
    listed = (build.folder / f"release/{build.product}.product/Objects.LinkFileList").read_text(encoding="utf-8").splitlines()
    for module in sorted({re.search(r"/release/([^/]+)\.build/", path).group(1) for path in listed}):
        folder = build.folder / f"release/{module}.build"
        # Either names the sources: the list of a Swift module, the dependencies of an object from C.
        facts = [folder / "sources"] if (folder / "sources").exists() else sorted(folder.rglob("*.d"))[:1]
        found = re.search(r"/\.build/checkouts/([^/]+)/", facts[0].read_text(encoding="utf-8")) if facts else None
        packages.setdefault(found and found.group(1), []).append(module)
    return packages


def versions_of_packages(build):
    """The versions of all packages that the build resolved, and where they come from."""
    def walk(package):
        for dependency in package["dependencies"]:
            yield pathlib.Path(dependency["path"]).name, (dependency["version"], dependency["url"])
            yield from walk(dependency)

    found = output_of("swift", "package", "show-dependencies", "--format", "json", folder=build.package)
    return dict(walk(json.loads(found)))


def add_swift_packages(document, build, tool, licences):
    versions = versions_of_packages(build)
    for package, modules in sorted(linked_modules(build).items(), key=lambda item: item[0] or ""):
        if package is None:
            continue
        version, url = versions[package]
        checkout = build.folder / "checkouts" / package
        text = sorted(checkout.glob("LICENSE*"))[0].read_text(encoding="utf-8")
        if "Apache License" not in text:
            sys.exit(f"{sys.argv[0]}: the licence of {package} is not one that this script knows")
        licence = APACHE_WITH_EXCEPTION if RUNTIME_EXCEPTION in text else "Apache-2.0"
        # Packages name a dependency with and without .git, and which of them is read first differs from build to build.
        url = url.removesuffix(".git")
        name = url.removeprefix("https://")
        identifier = document.add(package, version, licence, f"git+{url}@{version}", "STATIC_LINK", tool,
                                  f"pkg:swift/{name}@{version}")
        copy(licences, package, *sorted(checkout.glob("LICENSE*")), *sorted(checkout.glob("NOTICE*")))
        for module in modules:
            if module in VENDORED:
                project, licence, location, file, pattern = VENDORED[module]
                origin = (checkout / "Sources" / module / file).read_text(encoding="utf-8")
                release = ".".join(re.search(pattern, origin).groups())
                document.add(project, release, licence, location, "CONTAINS", identifier)
                for text in (checkout / "Sources" / module).glob("LICENSE*"):
                    copy(licences, project, text)


def add_toolchain(document, build, tool, licences):
    version = re.search(r"Swift version ([^ ]+)", output_of("swift", "--version")).group(1)
    text = None
    for path in extracted_archives(build):
        if "/swift_static/" not in path:
            if not path.startswith("/usr/lib/"):
                sys.exit(f"{sys.argv[0]}: nothing is known about {path}, which the tool has parts of")
            add_system_library(document, tool, path, "STATIC_LINK", licences)
            continue
        name = os.path.basename(path)
        project, licence = next(((project, licence) for pattern, project, licence in TOOLCHAIN
                                 if re.fullmatch(pattern, name)), (None, None))
        if project is None:
            sys.exit(f"{sys.argv[0]}: nothing is known about {name}, which the tool has parts of")
        document.add(project, version, licence, f"https://github.com/swiftlang/{project}", "STATIC_LINK", tool,
                     f"pkg:github/swiftlang/{project}@swift-{version}-RELEASE")
        text = pathlib.Path(path[:path.index("/lib/swift_static/")]) / "share/swift/LICENSE.txt"
    copy(licences, "swift", text)


def extracted_archives(build):
    """The archives that the linker took members of."""
    for line in (build.folder / "archives.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        _, extracted, path = line.split("\t")
        if int(extracted) > 0:
            yield os.path.realpath(path)


def add_system_library(document, tool, path, relation, licences=None):
    package = owner_of(path)
    fields = "${binary:Package}\t${source:Package}\t${Version}\t${Architecture}"
    name, source, version, architecture = output_of("dpkg-query", "-W", "-f", fields, package).split("\t")
    if source not in SYSTEM:
        sys.exit(f"{sys.argv[0]}: the licence of {source}, which has {path}, is not one that this script knows")
    name = name.partition(":")[0]
    document.add(name, version, SYSTEM[source], "NOASSERTION", relation, tool,
                 f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}")
    if relation == "STATIC_LINK":
        copy(licences, name, pathlib.Path("/usr/share/doc") / name / "copyright")


def owner_of(path):
    """The package of a file, which dpkg may know below /lib or below /usr/lib."""
    path = os.path.realpath(path)
    for candidate in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               encoding="utf-8", check=False)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    sys.exit(f"{sys.argv[0]}: no package of this system has {path}")


def add_loaded_libraries(document, tool, program):
    needed = re.findall(r"NEEDED.*\[(.+)\]", output_of("readelf", "--dynamic", program))
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", output_of("ldd", program), re.MULTILINE))
    for library in needed:
        # The loader is of the C library.
        if not library.startswith("ld-linux"):
            add_system_library(document, tool, places[library], "DYNAMIC_LINK")


def copy(licences, name, *texts):
    if licences:
        folder = pathlib.Path(licences) / name
        folder.mkdir(parents=True, exist_ok=True)
        for text in texts:
            shutil.copyfile(text, folder / text.name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fleet", action="store_true")
    parser.add_argument("--version", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--licences")
    options = parser.parse_args()
    build = Build("bleota-fleet", ROOT / "Fleet") if options.fleet else Build("bleota", ROOT)
    name = build.product
    program = os.path.abspath(options.tool)
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)

    document = Document()
    tool = document.add(name, options.version, "Apache-2.0", REPOSITORY, "DESCRIBES", "SPDXRef-DOCUMENT",
                        f"pkg:github/bleota/bleota@{options.version}", primaryPackagePurpose="APPLICATION",
                        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    add_swift_packages(document, build, tool, options.licences)
    add_toolchain(document, build, tool, options.licences)
    add_loaded_libraries(document, tool, program)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{options.version}",
        "documentNamespace": f"{REPOSITORY}/spdx/{name}-{options.version}-{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: bleota-sbom"]},
        "packages": list(document.packages.values()), "relationships": document.relationships,
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
