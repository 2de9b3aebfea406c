#!/bin/sh
# Installs missing system packages.
#
#     tools/system.sh venv|run|test|drive
#
# venv: packages needed to create a virtual environment. run: libraries that Qt needs here. test: also the
# virtual X display, its window manager, a Wayland compositor, the `dot` and `rsvg-convert` that the tests use and, for root on Debian, Chromium.
# drive: also xdotool, which sends keys and clicks. On Debian, root gets the packages installed; any other user gets the exact
# command to run, because this script never calls sudo. If nothing is missing, it installs nothing and does not use the network.
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
    test | drive)
        "$python" -m gradviz.preflight xcb
        ;;
    esac
    if [ "$1" = drive ]; then
        has xdotool || echo xdotool
    fi
    if [ "$1" = test ] || [ "$1" = drive ]; then
        has Xvfb || echo xvfb
        has xauth || echo xauth
        has openbox || echo openbox
        has weston || echo weston
        has dot || echo graphviz
        has rsvg-convert || echo librsvg2-bin
        # Without it, the tests of the HTML page are skipped. Ubuntu has it as a snap only.
        if [ "$(id -u)" = 0 ] && grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then
            has chromium || has google-chrome || echo chromium
        fi
    fi
}

fail_without_python() {
    echo "gradviz needs Python 3.11 or newer, but $1. Choose an interpreter with 'make PYTHON=...'." >&2
    exit 1
}

has "$python" || {
    [ "$python" = python3 ] && [ "$(id -u)" = 0 ] && has apt-get || fail_without_python "'$python' was not found"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail_without_python "'$python' is version $("$python" -c 'import platform; print(platform.python_version())')"

[ "$(uname -s)" = Linux ] || exit 0
packages=$(missing_packages "$1" | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
[ -n "$packages" ] || exit 0

if ! has apt-get; then
    # Not Debian: gradviz's own preflight check lists the libraries and, if it knows them, the packages.
    echo "Missing system packages (Debian names): $packages" >&2
    [ "$1" = venv ] && exit 1
    exit 0
fi
line="apt-get install --no-install-recommends $packages"
if [ "$(id -u)" != 0 ]; then
    echo "Some system packages are missing. Install them with this command, then try again:" >&2
    echo "    sudo $line" >&2
    exit 1
fi
echo "Installing system packages: $packages"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt-get update -qq
# shellcheck disable=SC2086 # one word per package
apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>"$log" ||
    { cat "$log" >&2; exit 1; }
