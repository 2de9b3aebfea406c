"""What a command says of a file that declares no inputs, after its child has described it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.cli.errors import UsageError
from gradviz.cli.subject import find_offer, find_offers
from gradviz.model.inputs import Offer, RunSubject
from gradviz.protocol.messages import Described


def offer(name: str, *, plain: bool = False, unrun: bool = False, declared: bool = False) -> Offer:
    return Offer(
        subject=RunSubject(path="own.py", name=name),
        title=name,
        inputs=(),
        is_declared=declared,
        is_plain_function=plain,
        is_from_text=unrun,
    )


UNRUN = Described(offers=(offer("F", unrun=True),), problem="own.py was only read.")
PLAIN = Described(offers=(offer("F", declared=True), offer("main", plain=True)))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("")
    return monkeypatch


def describes(own: pytest.MonkeyPatch, described: Described) -> None:
    own.setattr("gradviz.cli.subject.describe_file", lambda path, **options: (described, None))


def test_a_file_that_was_only_read_leads_to_record(own: pytest.MonkeyPatch) -> None:
    describes(own, UNRUN)
    with pytest.raises(UsageError, match=r"only read\. Declare .* gradviz record own\.py"):
        find_offers(["own.py"])
    with pytest.raises(UsageError, match=r"defines no G that can be run\. It defines F\. own"):
        find_offer("own.py:G")


def test_functions_without_inputs_are_not_missing(own: pytest.MonkeyPatch) -> None:
    describes(own, PLAIN)
    assert find_offers(["own.py"]) == ([PLAIN.offers[0]], [])
    with pytest.raises(UsageError, match="declares no example for G; it has examples for F"):
        find_offer("own.py:G")
