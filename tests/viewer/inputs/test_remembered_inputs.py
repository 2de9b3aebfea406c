"""The last inputs are restored, or dropped where they no longer fit."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pytest
from msgspec import structs
from PySide6.QtCore import QSettings

from gradviz.gallery.registry import offer_of, scene
from gradviz.model.inputs import BackwardStart, InputSpec, Offer, RunSubject
from gradviz.viewer.inputs.remembered_inputs import load_inputs, save_inputs

pytestmark = pytest.mark.usefixtures("qapp")

OWN = offer_of(scene("linear"))
OTHER = structs.replace(
    OWN,
    inputs=(
        InputSpec(name="input", shape=(3,), fill="values", values=(math.nan, -0.0, 2**60 + 1)),
        InputSpec(name="weight", dtype="complex64", fill="full", parameters=(1 + 2j,)),
        InputSpec(name="bias", kind="object", text="{'a': None}"),
    ),
    start=BackwardStart(output=1, gradient="ones"),
    seed=7,
)


def test_inputs_come_back_as_they_were() -> None:
    save_inputs(OTHER, OWN)
    assert load_inputs(OWN) == OTHER
    assert load_inputs(offer_of(scene("exp"))) is None


def test_the_own_inputs_are_not_stored() -> None:
    save_inputs(OTHER, OWN)
    save_inputs(OWN, OWN)
    assert load_inputs(OWN) is None
    assert "scene:linear" not in str(QSettings().value("inputs/last"))


def test_the_device_is_no_matter_of_the_form() -> None:
    save_inputs(structs.replace(OTHER, device="cuda"), OWN)
    assert load_inputs(OWN) == OTHER


def test_old_subjects_are_forgotten() -> None:
    for number in range(101):
        own = structs.replace(OWN, subject=RunSubject(path="f.py", name=f"F{number}"))
        save_inputs(structs.replace(OTHER, subject=own.subject), own)
    assert load_inputs(structs.replace(OWN, subject=RunSubject(path="f.py", name="F0"))) is None
    assert load_inputs(structs.replace(OWN, subject=RunSubject(path="f.py", name="F1"))) is not None


def file_offer(*inputs: InputSpec) -> Offer:
    return Offer(subject=RunSubject(path="/f.py", name="F"), title="F", inputs=inputs)


GIVEN = InputSpec(name="x", shape=(2,), fill="given", values=(1.0, 2.0))


def test_what_the_file_makes_shows_what_it_makes_now() -> None:
    own = file_offer(GIVEN)
    changed = structs.replace(GIVEN, requires_grad=True)
    save_inputs(file_offer(changed), own)
    now = structs.replace(GIVEN, values=(5.0, 6.0))
    assert load_inputs(file_offer(now)) == file_offer(structs.replace(now, requires_grad=True))


@pytest.mark.parametrize(
    "now",
    [
        structs.replace(GIVEN, shape=(3,), values=()),
        structs.replace(GIVEN, dtype="float32"),
        structs.replace(GIVEN, name="y"),
        structs.replace(GIVEN, fill="zeros", values=()),
    ],
    ids=["shape", "dtype", "name", "fill"],
)
def test_what_the_file_makes_otherwise_is_dropped(
    now: InputSpec, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    save_inputs(structs.replace(file_offer(GIVEN), seed=1), file_offer(GIVEN))
    assert load_inputs(file_offer(now)) is None
    assert "The saved inputs of /f.py:F no longer fit" in caplog.text


def store(data: Any) -> None:
    QSettings().setValue("inputs/last", data if isinstance(data, str) else json.dumps(data))


def stored() -> Any:
    return json.loads(str(QSettings().value("inputs/last")))


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 99, "subjects": {}}', '{"version": 1, "subjects": 5}']
)
def test_settings_of_others_are_nothing(text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    store(text)
    assert load_inputs(OWN) is None
    save_inputs(OTHER, OWN)
    assert load_inputs(OWN) == OTHER


@pytest.mark.parametrize(
    "spoil",
    [
        {"dtype": "float99"},
        {"shape": [-1]},
        {"values": [1]},
        {"fill": "eye"},
        {"fill": "full", "parameters": []},
        {"kind": "object", "text": "print(1)"},
        {"shape": "x"},
    ],
    ids=str,
)
def test_spoilt_settings_are_dropped(
    spoil: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    save_inputs(OTHER, OWN)
    data = stored()
    data["subjects"]["scene:linear"]["inputs"][0].update(spoil)
    store(data)
    assert load_inputs(OWN) is None
    assert "The saved inputs of scene:linear" in caplog.text
