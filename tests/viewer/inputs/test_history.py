"""Undo: every edit is one step, and so is typing in one field."""

from __future__ import annotations

import gc

import pytest

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.inputs.form_draft import FormDraft, form_draft, with_dtype, with_shape
from gradviz.viewer.inputs.history import FormHistory

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def history() -> FormHistory:
    history = FormHistory()
    history.begin(form_draft(offer_of(scene("linear"))))
    return history


def draft_in(history: FormHistory) -> FormDraft:
    assert history.draft is not None
    return history.draft


def type_shape(history: FormHistory, *texts: str, at: int = 0) -> None:
    for text in texts:
        base = history.argument_before_typing(at, "shape")
        assert base is not None
        history.change_argument(at, with_shape(base, text), "shape", "shape")
        # Qt owns the commands: they must outlive Python's own references.
        gc.collect()


def test_typing_is_one_step(history: FormHistory) -> None:
    first = draft_in(history)
    type_shape(history, "3", "3x", "3x4")
    assert history.stack.count() == 1
    history.stack.undo()
    assert draft_in(history) == first
    history.stack.redo()
    assert draft_in(history).arguments[0].shape == "3x4"


def test_typing_begins_from_what_there_was(history: FormHistory) -> None:
    type_shape(history, "3")
    base = history.argument_before_typing(0, "shape")
    assert base is not None
    assert base.shape == "2×2"
    history.end_typing()
    base = history.argument_before_typing(0, "shape")
    assert base is not None
    assert base.shape == "3"


def test_another_field_is_another_step(history: FormHistory) -> None:
    type_shape(history, "3", at=0)
    type_shape(history, "4", at=1)
    history.end_typing()
    type_shape(history, "5", at=1)
    assert history.stack.count() == 3


def test_what_is_typed_and_taken_back_is_no_step(history: FormHistory) -> None:
    type_shape(history, "2×", "2×2")
    assert history.stack.count() == 0
    assert not history.stack.canUndo()


def test_a_choice_between_ends_the_typing(history: FormHistory) -> None:
    type_shape(history, "3")
    argument = history.argument(0)
    assert argument is not None
    history.change_argument(0, with_dtype(argument, "float32"), "dtype")
    type_shape(history, "4")
    assert history.stack.count() == 3


def test_typing_after_undo_is_a_step_of_its_own(history: FormHistory) -> None:
    type_shape(history, "3")
    history.stack.undo()
    type_shape(history, "5")
    assert history.stack.count() == 1
    history.stack.undo()
    assert draft_in(history).arguments[0].shape == "2×2"


def test_undo_says_which_argument_it_changed(history: FormHistory) -> None:
    seen: list[object] = []
    history.history_moved.connect(seen.append)
    type_shape(history, "3", at=1)
    assert seen == []
    history.stack.undo()
    history.stack.redo()
    assert seen == [1, 1]


def test_an_edit_that_changes_nothing_is_no_step(history: FormHistory) -> None:
    history.change(draft_in(history), "nothing")
    assert history.stack.count() == 0


def test_another_offer_resets_the_history(history: FormHistory) -> None:
    type_shape(history, "3")
    history.begin(form_draft(offer_of(scene("exp"))))
    assert not history.stack.canUndo()
