#!/bin/sh
# Install the Debian packages named as arguments that are not installed yet; says what it does, does nothing when all
# are there.
set -eu
missing=
for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *' installed') ;;
    *) missing="$missing $package" ;;
    esac
done
if [ -z "$missing" ]; then
    echo "deps: all packages are installed"
    exit 0
fi
echo "deps: installing$missing"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -q
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends $missing
