#!/bin/bash
# Runs the whole test-suite: everything offscreen, then what needs a window manager on a virtual display.
#
# Further arguments go to both runs of pytest; one that chooses tests may leave a run without any.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python

failed=0
note() { [ "$1" = 5 ] && [ "$2" -gt 0 ] || failed=$1; }

"$python" -m pytest -n 2 -m "not xcb" "$@" || note $? $#

if ! { command -v xvfb-run && command -v openbox; } >/dev/null; then
    echo "Left out: the tests on a virtual X display, as xvfb-run or openbox is not installed here."
    exit "$failed"
fi
echo "On a virtual display:"
# shellcheck disable=SC2016 # the inner shell expands it
QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" bash -c '
    openbox & manager=$!
    trap "kill $manager 2>/dev/null; wait $manager 2>/dev/null || true" EXIT
    "$0" -m pytest -m xcb "$@"
' "$python" "$@" || note $? $#
exit "$failed"
