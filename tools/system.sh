#!/bin/sh
# Installs what the operating system must bring, if it is missing.
#
#     tools/system.sh venv|run|test
#
# venv: what makes a virtual environment. run: what Qt needs here. test: also the virtual X display,
# its window manager and the `dot` that the tests use. On Debian as root the packages are installed; any
# other user gets the exact line, and nothing is ever done with sudo. When nothing is missing this neither
# installs nor asks the network.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

has() { command -v "$1" >/dev/null 2>&1; }

missing_packages() {
    case $1 in
    venv)
        "$python" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
        ;;
    run)
        "$python" -m gradviz.preflight
        ;;
    test)
        "$python" -m gradviz.preflight xcb
        ;;
    esac
    if [ "$1" = test ]; then
        has Xvfb || echo xvfb
        has xauth || echo xauth
        has openbox || echo openbox
        has dot || echo graphviz
    fi
}

say_no_python() {
    echo "gradviz needs Python 3.11 or newer, and $1; name one with 'make PYTHON=...'." >&2
    exit 1
}

has "$python" || {
    [ "$(id -u)" = 0 ] && has apt-get || say_no_python "there is no '$python' here"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    say_no_python "'$python' is $("$python" -c 'import platform; print(platform.python_version())')"

[ "$(uname -s)" = Linux ] || exit 0
packages=$(missing_packages "$1" | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
[ -n "$packages" ] || exit 0

if ! has apt-get; then
    # Not Debian: the preflight of the program names the libraries and, where it knows them, the packages.
    echo "Missing on this system (names of the Debian packages): $packages" >&2
    [ "$1" = venv ] && exit 1
    exit 0
fi
line="apt-get install --no-install-recommends $packages"
if [ "$(id -u)" != 0 ]; then
    echo "Some packages of the system are missing. Install them with this line, then try again:" >&2
    echo "    sudo $line" >&2
    exit 1
fi
echo "Installing packages of the system: $packages"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt-get update -qq
# shellcheck disable=SC2086 # one word for each package
apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>"$log" ||
    { cat "$log" >&2; exit 1; }
