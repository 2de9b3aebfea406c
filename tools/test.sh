#!/bin/bash
# Runs the test suite: most tests offscreen, then side by side those that need an accelerator (a simulated one
# where there is none) and those that need a window manager on a virtual display.
#
# Usage: tools/test.sh quick|sweeps|all [pytest arguments]
#   quick   every test but the sweeps
#   sweeps  only the tests that are marked as sweeps: whole cross products
#   all     both
# Arguments are passed to each pytest run. If they select tests, a run may have none (exit code 5).
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
# Without stored bytecode, each worker and each process that a test starts compiles everything again.
unset PYTHONDONTWRITEBYTECODE

case ${1-} in
    quick) share=" and not sweep" ;;
    sweeps) share=" and sweep" ;;
    all) share="" ;;
    *) sed -n '5,8s/^# //p' "$0"; exit 2 ;;
esac
part=$1
shift

failed=0
note() { [ "$1" = 5 ] && [ "$2" -gt 0 ] || failed=$1; }

# With as many threads as cores in each worker, torch's threads mostly wait for each other. The sweeps keep torch's
# default, as users have it.
threads=()
[ "$part" != quick ] || threads=(OMP_NUM_THREADS=1)
# A worker that has run out of tests takes half of the other's, so that both end at the same time.
env "${threads[@]}" "$python" -m pytest -n 2 --dist worksteal --durations 20 -m "not xcb and not accelerator$share" "$@" || note $? $#

# Sets `selected` to the arguments, or to the files that have tests with a mark if there are no arguments:
# collecting all files takes longer than these tests.
select_marked() {
    local mark=$1
    shift
    selected=("$@")
    [ $# -gt 0 ] || mapfile -t selected < <(grep -rlE --include='test_*.py' "pytest\.mark\.$mark\b" tests)
}

# In a separate process, because a second device changes torch for all tests. Meanwhile, the tests on a virtual
# display use the other core. None of them is a sweep.
select_marked accelerator "$@"
output=$(mktemp)
accelerator=
if [ "$part" != sweeps ]; then
    PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$PWD/tests/simulated_device" \
        "$python" -m pytest -m accelerator "${selected[@]}" >"$output" 2>&1 & accelerator=$!
fi
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$output"' EXIT

if { command -v xvfb-run && command -v openbox; } >/dev/null; then
    echo "Running the tests that need a window manager on a virtual display:"
    command -v weston >/dev/null ||
        echo "Skipping the tests on Wayland because weston is not installed."
    select_marked xcb "$@"
    # shellcheck disable=SC2016 # the inner shell expands the variables
    QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" bash -c '
        openbox & manager=$!
        trap "kill $manager 2>/dev/null; wait $manager 2>/dev/null || true" EXIT
        "$0" -m pytest -m "$@"
    ' "$python" "xcb$share" "${selected[@]}" || note $? $#
else
    echo "Skipped the tests on a virtual X display because xvfb-run or openbox is not installed."
fi

[ -n "$accelerator" ] || exit "$failed"
echo "Running the tests that need an accelerator:"
wait "$accelerator" || note $? $#
cat "$output"
exit "$failed"
