"""``python -m tests.fuzz``: looks at thousands of damaged traces, and keeps those that go wrong."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.pool import FuzzPool, FuzzRequest

_BATCH = 200
_DRAW_EVERY, _WINDOW_EVERY = 40, 50


def requests(seed: int, first: int, count: int) -> Iterator[FuzzRequest]:
    """Cases of a seed; a few are drawn, and a few are shown in the window."""
    for number in range(first, first + count):
        window = ""
        if number % _WINDOW_EVERY == 0:
            window = "damaged" if number % (4 * _WINDOW_EVERY) == 0 else "open"
        draw = number % _DRAW_EVERY == 1
        yield FuzzRequest(seed=seed, number=number, draw=draw, window=window)


def main() -> int:
    """Print each kind of finding once, keep its first case, and return 1 if there is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=20_000, help="number of damaged traces")
    parser.add_argument("--first", type=int, default=1, help="number of the first one")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other ones")
    parser.add_argument("--workers", type=int, default=2, help="number of processes")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder of findings")
    options = parser.parse_args()
    began, found, done = time.monotonic(), Counter[str](), 0
    with FuzzPool(options.workers) as pool:
        while done < options.count:
            some = min(_BATCH, options.count - done)
            for request, problem in pool.problems(
                requests(options.seed, options.first + done, some)
            ):
                if not problem:
                    continue
                kind = _kind(request, problem)
                found[kind] += 1
                if found[kind] == 1:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    name = f"{options.seed}-{request.number}"
                    (options.keep / f"{name}.json").write_text(request.case.to_json() + "\n")
                    (options.keep / f"{name}.txt").write_text(f"{problem}\n")
                    _say(f"{request.number} {request.window or 'read'}: {problem}")
            done += some
            _say(f"{done:,} of {options.count:,} done")
    seconds = time.monotonic() - began
    _say(f"{done:,} damaged traces in {seconds:.0f} s: {found.total()} findings")
    for kind, times in found.most_common():
        _say(f"{times:6} {kind}")
    return 1 if found else 0


def _kind(request: FuzzRequest, problem: str) -> str:
    """What findings of one cause share; each trace and way to look at it has its own."""
    where = f"{request.case.trace}, {request.window or 'read'}"
    problem = problem.partition("\n")[0]  # What a process wrote to stderr follows.
    if " in " in problem:
        return f"{problem.partition(':')[0]} in {problem.rpartition(' in ')[2]} ({where})"
    return f"{re.sub('[0-9.]+ (?=s$|MiB$)', '', problem)} ({where})"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
