#!/bin/bash
# Runs the test suite: most tests offscreen, then those that need a window manager on a virtual display.
#
# Usage: tools/test.sh quick|sweeps|all [pytest arguments]
#   quick   every test but the sweeps
#   sweeps  only the tests that are marked as sweeps: whole cross products
#   all     both
# Arguments are passed to both pytest runs. If they select tests, one of the runs may have none (exit code 5).
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
# Without stored bytecode, each worker and each process that a test starts compiles everything again.
unset PYTHONDONTWRITEBYTECODE

case ${1-} in
    quick) marked="not xcb and not sweep" ;;
    sweeps) marked="not xcb and sweep" ;;
    all) marked="not xcb" ;;
    *) sed -n '4,7s/^# //p' "$0"; exit 2 ;;
esac
part=$1
shift

failed=0
note() { [ "$1" = 5 ] && [ "$2" -gt 0 ] || failed=$1; }

# A worker that has run out of tests takes half of the other's, so that both end at the same time.
"$python" -m pytest -n 2 --dist worksteal -m "$marked" "$@" || note $? $#

[ "$part" != sweeps ] || exit "$failed"
if ! { command -v xvfb-run && command -v openbox; } >/dev/null; then
    echo "Skipped the tests on a virtual X display because xvfb-run or openbox is not installed."
    exit "$failed"
fi
echo "Running the tests that need a window manager on a virtual display:"
if [ $# = 0 ]; then
    # Only their files: collecting the others takes longer than these tests.
    mapfile -t files < <(grep -rl --include='test_*.py' 'pytest\.mark\.xcb' tests)
    set -- "${files[@]}"
fi
# shellcheck disable=SC2016 # the inner shell expands the variables
QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" bash -c '
    openbox & manager=$!
    trap "kill $manager 2>/dev/null; wait $manager 2>/dev/null || true" EXIT
    "$0" -m pytest -m xcb "$@"
' "$python" "$@" || note $? $#
exit "$failed"
