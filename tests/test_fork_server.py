"""A forked child behaves like a started one: session, pipes, folder, environment, exit."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.fork_server import ForkServer

REPORT = """
import json, os, sys
told = {"parent": os.getppid(), "session": os.getsid(0), "argv": sys.argv[1:]}
told["folder"], told["torch"] = os.getcwd(), "torch" in sys.modules
told["main"], told["name"] = __name__, os.environ["NAME"]
print(json.dumps(told))
print(sys.stdin.readline(), file=sys.stderr)
"""


@pytest.fixture
def server(fork_server: ForkServer | None) -> ForkServer:
    if fork_server is None:
        pytest.skip("only Linux gives orphans to another process")
    return fork_server


def test_a_child_has_its_own_session_pipes_folder_and_environment(
    server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with server.start(REPORT, ["one", "two"], environment={"NAME": "kiwi"}) as child:
        child.stdin.write(b"hello\n")
        reported = json.loads(child.stdout.readline())
        assert child.stderr.readline() == b"hello\n"
        assert child.wait() == 0
    assert reported == {
        "parent": os.getpid(),
        "session": child.pid,
        "argv": ["one", "two"],
        "folder": str(tmp_path),
        "torch": True,
        "main": "__main__",
        "name": "kiwi",
    }


@pytest.mark.parametrize(
    ("code", "returncode"),
    [("1 / 0", 1), ("import os; os._exit(7)", 7), ("import os; os.abort()", -6)],
)
def test_the_end_of_a_child_is_reported(server: ForkServer, code: str, returncode: int) -> None:
    with server.start(code) as child:
        assert child.wait() == returncode


def test_a_child_can_be_killed(server: ForkServer) -> None:
    with server.start("import time; print('up', flush=True); time.sleep(60)") as child:
        assert child.stdout.readline() == b"up\n"
        assert child.poll() is None
        start = time.monotonic()
    assert child.returncode == -9
    assert time.monotonic() - start < 10
