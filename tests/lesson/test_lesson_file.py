"""A lesson file: what is written is read again, and each mistake names its line."""

from __future__ import annotations

import pytest

from gradviz.lesson.lesson import Lesson, LessonError, LessonStop
from gradviz.lesson.reading import parse_lesson
from gradviz.lesson.writing import lesson_text

FULL = LessonStop(
    headline='Why "exp" saves its output',
    scene="exp",
    step="3/backward/line1",
    tab="jacobians",
    check=True,
    compare="linear",
    select="ExpBackward#2",
    zoom=120,
    arithmetic="grad_x[0, 2]",
    hide=("answer", "library"),
    question="Which tensor is saved?\nAnd why?",
    solution="The output,\nbecause backward needs it.",
    notes='Say "output".\n\nThen wait.\ttab',
    steps=True,
    minutes=2.5,
)
HARD = ("a\\b\nc", 'ends in "\n"', '"""\nx', "\x7f\x01é\n", "[[stop]]\nscene = 1", "\\n\n", "\r\nx")


@pytest.mark.parametrize(
    "lesson",
    [
        Lesson(title="Empty"),
        Lesson(title="Full", stops=(FULL, LessonStop(trace="a.gradviz"))),
        Lesson(title="Hard", stops=tuple(LessonStop(scene="exp", notes=each) for each in HARD)),
        Lesson(
            title="Embedded",
            stops=(LessonStop(trace="one"),),
            traces=(("one", bytes(range(256)) * 9), ("a b", b"")),
        ),
    ],
)
def test_a_lesson_survives_its_file(lesson: Lesson) -> None:
    assert parse_lesson(lesson_text(lesson), "x") == lesson


def test_a_written_lesson_reads_as_one_writes_it_by_hand() -> None:
    stop = LessonStop(headline="Exp", scene="exp", step="2", notes="One.\nTwo.", minutes=3)
    assert lesson_text(Lesson(title="A", stops=(stop,))) == (
        'title = "A"\n\n[[stop]]\nheadline = "Exp"\nscene = "exp"\nstep = "2"\n'
        'notes = """\nOne.\nTwo."""\nminutes = 3\n'
    )


NOTES = 'title = "A"\n[[stop]]\nscene = "exp"\nnotes = """\n[[stop]]\nzoom = 1\n"""\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = ", "x is not valid TOML: Invalid value (at end of document)."),
        ("", 'x, line 1: title is missing; write title = "..." in the first line.'),
        ('title = "A"\n\nfoo = 1', "x, line 3: foo is not a key of a lesson; use one of title,"),
        ('title = "A"\nstop = 1', "x, line 2: stop is not a list; begin each stop with the line"),
        ('title = "A"\n[[stop]]\n', "x, line 2: A stop needs either scene or trace; write one"),
        (NOTES + "zoom = 1", "x, line 8: zoom is out of range; write a percentage from 10 to 400."),
        (
            NOTES + 'arithmetic = "x[a]"',
            "x, line 8: arithmetic is not an element; write one such as",
        ),
        (NOTES + "zoom = true", "x, line 8: zoom is not a whole number; write zoom = 100."),
        (NOTES + "steps = 1", "x, line 8: steps is neither true nor false; write steps = true."),
        (NOTES + "minutes = -1", "x, line 8: minutes is out of range; write a number from 0"),
        (NOTES + "step = 5", 'x, line 8: step is not text; write step = "...".'),
        (NOTES + 'step = "5/x"', "x, line 8: 5/x is not a place in a run; use a step such as 5,"),
        (NOTES + 'tab = "Graph"', "x, line 8: tab Graph does not exist; use one of graph, jac"),
        (NOTES + 'hide = ["all"]', "x, line 8: hide has no all; use some of answer, ahead, lib"),
        (NOTES + 'hide = "all"', 'x, line 8: hide is not a list; write hide = ["answer"].'),
        (NOTES + 'trace = "a.gradviz"', "x, line 8: A stop needs either scene or trace; write"),
        (NOTES + "[[stop]]\ntrace = 'a'", "x, line 9: trace a is neither embedded in this file"),
        (
            NOTES + '[[stop]]\ntrace = "a.gradviz"\ncheck = true',
            "x, line 10: check needs a scene; a trace shows the checks stored in it.",
        ),
        (NOTES + '[traces]\na = "x"', "x, line 1: The embedded trace a is damaged; add its stops"),
        (NOTES + "note = 1", "x, line 8: note is not a key of a lesson; use one of headline,"),
    ],
)
def test_a_mistake_names_its_line_and_the_remedy(text: str, sentence: str) -> None:
    with pytest.raises(LessonError) as raised:
        parse_lesson(text, "x")
    assert str(raised.value).startswith(sentence)
