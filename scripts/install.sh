#!/usr/bin/env bash
# Installs the built tool, its man page and its shell completions under $DESTDIR$PREFIX, or removes
# them again:
#
#     scripts/install.sh install | uninstall
source "$(dirname "$0")/common.sh"

program=.build/release/bleota
prefix=${DESTDIR:-}${PREFIX:-/usr/local}
tool=$prefix/bin/bleota
manual=$prefix/share/man/man1/bleota.1
bash_completion=$prefix/share/bash-completion/completions/bleota
zsh_completion=$prefix/share/zsh/site-functions/_bleota
fish_completion=$prefix/share/fish/vendor_completions.d/bleota.fish

install_everything() {
    is_built_by_another_user || scripts/build.sh
    scripts/packages.sh python
    # Everything is made first: a generator that fails leaves nothing half installed.
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    scripts/man.py "$program" >"$made/bleota.1"
    local shell
    for shell in bash zsh fish; do
        "$program" --generate-completion-script "$shell" >"$made/$shell"
    done
    place 755 "$program" "$tool"
    place 644 "$made/bleota.1" "$manual"
    place 644 "$made/bash" "$bash_completion"
    place 644 "$made/zsh" "$zsh_completion"
    place 644 "$made/fish" "$fish_completion"
}

# `sudo make install` takes what its user built: root may have no swift in PATH, and what root
# builds the user could not build again.
is_built_by_another_user() {
    [[ -x $program && $(stat -c %u .build) -ne $EUID ]]
}

place() {
    install -D -m "$1" "$2" "$3" || fail "could not write $3; run this as root, or set PREFIX"
    printf 'Installed %s\n' "$3"
}

remove_everything() {
    local file
    for file in "$tool" "$manual" "$bash_completion" "$zsh_completion" "$fish_completion"; do
        rm -f "$file" || fail "could not remove $file; run make uninstall as root"
    done
}

case ${1:-} in
install) install_everything ;;
uninstall) remove_everything ;;
*) fail "say install or uninstall" ;;
esac
