#!/usr/bin/env bash
# Makes the site: .build-site/site, one static folder with the pages of docs/, spec/, Embedded/ and Benchmarks/, the
# documentation of the modules, and a search over all of it.
#
# It takes the documentation of the modules from scripts/docs.sh, and the plots of `make bench-report` where they are.
# A dead link fails, and so does a schema of --json that is none.
source "$(dirname "$0")/common.sh"

environment=.build-site/venv
requirements=scripts/site/requirements.txt

made_from() {
    python3 --version
    cat "$requirements"
}

[[ -s .build-docs/site/documentation/index.html ]] ||
    fail "there is no documentation of the modules: scripts/docs.sh makes it"
mkdir -p "$environment"
if ! made_from | cmp -s - "$environment/made-from"; then
    printf 'Installing in %s what %s lists.\n' "$environment" "$requirements" >&2
    rm -rf "$environment"
    quietly python3 -m venv "$environment" || fail "python3 makes no virtual environment"
    quietly "$environment/bin/pip" install --no-input --requirement "$requirements" ||
        fail "pip could not install what $requirements lists; see above"
    made_from >"$environment/made-from"
fi
"$environment/bin/python" scripts/site/build.py .build-docs/site .build-bench/report .build-site/site
"$environment/bin/python" scripts/site/check.py .build-site/site docs/output.schema.json
printf 'The site is in .build-site/site. To read it:\n\n'
printf '    python3 -m http.server --directory .build-site/site\n\n'
printf 'and open http://localhost:8000 in a browser.\n'
