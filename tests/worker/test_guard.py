from __future__ import annotations

import subprocess
import sys

import pytest

LIMITED = """
import mmap
from gradviz.worker.guard import limit_memory

def works(attempt):
    try:
        attempt()
    except (MemoryError, OSError):
        return False
    return True

limit_memory(64 << 20, reserves_addresses={reserves})
reserved = works(lambda: mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE, prot=0))
print(reserved, works(lambda: bytearray(16 << 20)), works(lambda: bytearray(8 << 30)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
@pytest.mark.parametrize("reserves", [False, True])
def test_memory_is_limited_even_if_any_number_of_addresses_may_be_reserved(reserves: bool) -> None:
    code = LIMITED.format(reserves=reserves)
    run = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [str(reserves), "True", "False"]
