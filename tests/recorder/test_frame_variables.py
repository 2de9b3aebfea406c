"""Which functions read their own local variables as a dict."""

from __future__ import annotations

from types import CodeType

import pytest

from gradviz.recorder.frame_variables import looks_at_own_locals


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        ("held = locals()", True),
        ("return sorted(locals())", True),
        ("ask = locals", True),
        ("held = vars()", True),
        ("return frame.f_locals", True),
        ("held = vars(thing)", False),
        ("held = vars(thing())", False),
        ("return thing.locals()", False),
        ("vars = thing()", False),
        ("return thing", False),
    ],
)
def test_who_looks(body: str, looks: bool) -> None:
    made = compile(f"def function(thing, frame):\n {body}", "made", "exec")
    (code,) = [each for each in made.co_consts if isinstance(each, CodeType)]
    assert looks_at_own_locals(code) is looks
