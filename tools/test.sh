#!/bin/bash
# Runs the whole test suite: most tests offscreen, then those that need a window manager on a virtual display.
#
# Arguments are passed to both pytest runs. If they select tests, one of the runs may have none (exit code 5).
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python

failed=0
note() { [ "$1" = 5 ] && [ "$2" -gt 0 ] || failed=$1; }

"$python" -m pytest -n 2 -m "not xcb" "$@" || note $? $#

if ! { command -v xvfb-run && command -v openbox; } >/dev/null; then
    echo "Skipped the tests on a virtual X display because xvfb-run or openbox is not installed."
    exit "$failed"
fi
echo "Running the tests that need a window manager on a virtual display:"
# shellcheck disable=SC2016 # the inner shell expands the variables
QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" bash -c '
    openbox & manager=$!
    trap "kill $manager 2>/dev/null; wait $manager 2>/dev/null || true" EXIT
    "$0" -m pytest -m xcb "$@"
' "$python" "$@" || note $? $#
exit "$failed"
