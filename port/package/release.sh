#!/bin/sh
# release.sh - checks whether tlog may be published, and gathers what is published in build/release.
# usage: release.sh check VERSION URL MAINTAINER     (DRAFT=1: for a try: also the defaults, and what is in no commit)
#        release.sh gather VERSION BUILD             (`make dist single` and the demo's traces are made)
#
# It holds the source archive, which is `git archive` of HEAD and the same bytes whenever it is made, tlog.h and tlog.c
# of `make single`, the packages of `make dist`, the demo's trace as trace.pftrace and as a page, and their check sums.
set -eu

# refuse WHY: end with this line
refuse() {
    echo "release: $1; DRAFT=1 makes one that is not to be published" >&2
    exit 1
}

# check VERSION URL MAINTAINER: refuse what must not be published
check() {
    git rev-parse -q --verify HEAD >/dev/null 2>&1 ||
        { echo "release: it is made in a checkout of git, and here is none" >&2; exit 1; }
    [ "${DRAFT:-}" != 1 ] || return 0
    case $2$3 in *.invalid*) refuse "give URL=https://... and MAINTAINER='name <address>', which packages tell" ;; esac
    grep -q "^## $1 - " CHANGELOG.md || refuse "CHANGELOG.md has no section \"## $1 - DATE\""
    git diff --quiet HEAD || refuse "files differ from the last commit"
}

# gather VERSION BUILD: fill BUILD/release
gather() {
    to=$2/release
    rm -rf "$to"
    mkdir -p "$to"
    git -c tar.umask=0022 archive --format=tar --prefix="tlog-$1/" HEAD | gzip -9n >"$to/tlog-$1.tar.gz"
    sed "s/^[^ ]*  //; /^tlog-$1.tar.gz\$/d" "$2/dist/SHA256SUMS" | while read -r package; do
        cp "$2/dist/$package" "$to/"
    done
    cp "$2/single/tlog.h" "$2/single/tlog.c" "$2/demo/trace.pftrace" "$2/demo/trace.html" "$to/"
    (cd "$to" && LC_ALL=C && export LC_ALL && sha256sum -- * >SUMS && mv SUMS SHA256SUMS)
    sed "s|^[^ ]* |  RELEASE  $to|; s|$to |$to/|" "$to/SHA256SUMS"
}

"$@"
