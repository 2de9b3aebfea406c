"""All threads of the window allocate from one arena."""

from __future__ import annotations

import sys

import pytest

from tests.programs import run_program

PROGRAM = """
import ctypes, sys, threading
from gradviz.viewer.gc_policy import use_single_arena

if sys.argv[1] == "one":
    use_single_arena()
c = ctypes.CDLL(None)
c.malloc.argtypes, c.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
meet = threading.Barrier(4)

def allocate():
    meet.wait()
    c.malloc(1000)
    meet.wait()

threads = [threading.Thread(target=allocate) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
c.fopen.restype = ctypes.c_void_p
c.malloc_info(0, ctypes.c_void_p(c.fopen(b"/dev/stdout", b"w")))
c.fflush(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no arenas")
def test_threads_share_one_arena() -> None:
    counts = {
        which: run_program([sys.executable, "-c", PROGRAM, which], check=True).stdout.count(
            "<heap "
        )
        for which in ("one", "many")
    }
    assert counts["one"] == 1
    assert counts["many"] > 1
