#!/usr/bin/env bash
# Runs the fleet on one machine as docs/fleet.md says: types each command of its blocks "console fleet" into one shell,
# in an empty folder, with other ports. Each has to end with 0, and has to print what the page shows, in which a line "…"
# stands for any lines, and "…" in a line for any text.
set -euo pipefail

package=$(cd "$(dirname "$0")/.." && pwd)
page=$package/../docs/fleet.md
programs=(
    "${BLEOTA_TOOL:-$package/../.build/release/bleota}"
    "${BLEOTA_FLEET_TOOL:-$package/${FLEET_BUILD:-../.build-examples}/debug/bleota-fleet}"
    "$("$package/scripts/server.sh")"
)

main() {
    folder=$(mktemp -d)
    trap end EXIT
    trap 'exit 143' TERM INT
    mkdir "$folder"/{bin,page}
    local program
    for program in "${programs[@]}"; do
        [[ -x $program ]] || fail "there is no $program: make build and test.sh build make it"
        ln -s "$program" "$folder/bin/"
    done
    choose_ports
    read_page >"$folder/shown"
    {
        printf 'set -euo pipefail\n'
        sed -n 's/^\$ \(.*\)/cat <<"END"\n$ \1\nEND\n\1/p' "$folder/shown"
    } >"$folder/commands"
    grep -q 'campaign start' "$folder/commands" || fail "$page has no commands"

    cd "$folder/page"
    # It takes half a minute; a busy machine may be slower.
    PATH=$folder/bin:$PATH setsid timeout 300 bash "$folder/commands" >"$folder/printed" 2>"$folder/errors" &
    shell=$!
    wait "$shell" || fail "a command failed, the last of these: $(tail -n 12 "$folder/printed" "$folder/errors")"
    compare
    printf 'docs/fleet.md: %d commands print what it shows, after %d s\n' "$(grep -c '^\$ ' "$folder/shown")" "$SECONDS"
}

fail() {
    printf 'page.sh: %s\n' "$*" >&2
    exit 1
}

end() {
    local status=$?
    trap - EXIT
    # Only what runs in the session of the page.
    [[ -z ${shell:-} ]] || pkill -KILL --session "$shell" || true
    if [[ $status -ne 0 ]]; then tail -n 5 "$folder"/page/*.log >&2 || true; fi
    rm -rf "$folder"
    exit "$status"
}

# The ports of servers, without their last digit, and the one of the console. Servers reach each other 2,000 higher.
choose_ports() {
    servers=$((2000 + RANDOM % 800))
    console=$((30000 + RANDOM % 2000))
}

# The commands and the output that the page shows.
read_page() {
    awk '/^```console fleet$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" |
        sed -E "s/localhost:422([0-9])/localhost:$servers\\1/g; s/console --token/console --listen 127.0.0.1:$console --token/
            s/127\.0\.0\.1:8080/127.0.0.1:$console/g"
}

compare() {
    python3 - "$folder/shown" "$folder/printed" <<'END'
import re, sys
def commands(path):
    text = "\n" + open(path, encoding="utf-8").read()
    return [command.splitlines() for command in text.split("\n$ ")[1:]]
def matches(shown, printed):
    if not shown or not printed:
        return not printed and all(line == "…" for line in shown)
    if shown[0] == "…":
        return matches(shown[1:], printed) or matches(shown, printed[1:])
    return re.fullmatch(".*".join(map(re.escape, shown[0].split("…"))), printed[0]) and matches(shown[1:], printed[1:])
for shown, printed in zip(commands(sys.argv[1]), commands(sys.argv[2]), strict=True):
    if not matches(shown, printed):
        sys.exit("page.sh: the page shows\n" + "\n".join(shown) + "\nand this was printed:\n" + "\n".join(printed))
END
}

main
