#!/bin/bash
# Runs the test suite: most tests offscreen, those that need an accelerator (a simulated one where there is none), and
# those that need a window manager on a virtual display.
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
# Torch's threads sleep while they wait. By default they spin, in all processes at once, which takes the cores from
# those that work: beside other work, a check took seconds of wall time where it needs half a second of a core.
export OMP_WAIT_POLICY=passive

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

# Sets `selected` to the arguments, or if there are none to the files that hold a pattern: collecting all files
# takes longer than some of these tests.
select_files() {
    local pattern=$1
    shift
    selected=("$@")
    [ $# -gt 0 ] || mapfile -t selected < <(grep -rlE --include='test_*.py' "$pattern" tests)
}

# In a process of its own, because a second device changes torch for all tests.
accelerator() {
    echo "Running the tests that need an accelerator:"
    select_files 'pytest\.mark\.accelerator\b' "$@"
    PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$PWD/tests/simulated_device" \
        "$python" -m pytest -m "accelerator$share" "${selected[@]}" || note $? $#
}

display() {
    { command -v xvfb-run && command -v openbox; } >/dev/null || {
        echo "Skipped the tests on a virtual X display because xvfb-run or openbox is not installed."
        return
    }
    echo "Running the tests that need a window manager on a virtual display:"
    command -v weston >/dev/null ||
        echo "Skipping the tests on Wayland because weston is not installed."
    select_files 'pytest\.mark\.xcb\b' "$@"
    # shellcheck disable=SC2016 # the inner shell expands the variables
    QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" bash -c '
        openbox & manager=$!
        trap "kill $manager 2>/dev/null; wait $manager 2>/dev/null || true" EXIT
        "$0" -m pytest -m "$@"
    ' "$python" "xcb$share" "${selected[@]}" || note $? $#
}

# Runs a part beside the next ones until `joined`, which prints what it said.
output=$(mktemp)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$output"' EXIT
beside() { ("$@"; exit "$failed") >"$output" 2>&1 & other=$!; }
joined() {
    wait "$other" || failed=$?
    cat "$output"
}

# Each part has one process. The quick tests on a display look at times: beside them is one other process, not three.
[ "$part" = quick ] || beside display "$@"

# With as many threads as cores in each worker, torch's threads mostly wait for each other. The sweeps keep torch's
# default, as users have it. Quick tests often wait for a window or a child, so that their cores have time for a third
# worker. A worker that has run out of tests takes half of another's, so that all end at the same time.
threads=() workers=2
[ "$part" != quick ] || threads=(OMP_NUM_THREADS=1) workers=3
selected=("$@")
[ "$part" != sweeps ] || select_files 'mark\.(sweep|quick)|tests\.(sweeps|gui\.conftest)' "$@"
env "${threads[@]}" "$python" -m pytest -n "$workers" --dist worksteal --durations 20 \
    -m "not xcb and not accelerator$share" "${selected[@]}" || note $? $#
[ "$part" = quick ] || joined
[ "$part" = sweeps ] || beside accelerator "$@"
[ "$part" != quick ] || display "$@"
[ "$part" = sweeps ] || joined
exit "$failed"
