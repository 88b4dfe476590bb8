#!/bin/sh
# deps.sh - installs those of the named Debian packages that are not installed yet. Before sudo asks for a password, it
# says for what: which packages, and how much apt will fetch. For `make deps`.
# usage: deps.sh WHAT PACKAGE...     (WHAT: what needs them, for the message)
set -eu
what=$1
shift
missing=
for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *' installed') ;;
    *) missing="$missing $package" ;;
    esac
done
if [ -z "$missing" ]; then
    echo "deps: all packages for $what are installed"
    exit 0
fi

# fetched: print how many packages apt will fetch for the missing ones, and how much; nothing if it cannot tell
fetched() {
    # shellcheck disable=SC2086
    apt-get install --print-uris -q -q -y --no-install-recommends $missing 2>/dev/null |
        awk '/^\x27/ { bytes += $3; n++ } END { if (n) printf " (%d packages, %.0f MB to fetch)", n, bytes / 1e6 }'
}

# say: print what will be installed
say() {
    echo "deps: for $what:$missing$(fetched)"
}

sudo=
if [ "$(id -u)" -eq 0 ]; then
    apt-get update -q
    say
elif command -v sudo >/dev/null; then
    sudo=sudo
    say
    echo "deps: sudo is asked for, to install them with apt-get"
    sudo apt-get update -q
else
    say
    echo "deps: there is no sudo here; run as root: apt-get install --no-install-recommends$missing"
    exit 1
fi
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
