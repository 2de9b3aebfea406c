"""A lesson file: what is written is read again, and each mistake names its line."""

from __future__ import annotations

import base64
import os
import zlib
from pathlib import Path

import pytest

from gradviz.lesson import reading, writing
from gradviz.lesson.lesson import Lesson, LessonError, LessonStop
from gradviz.lesson.reading import parse_lesson, read_lesson
from gradviz.lesson.writing import lesson_text, write_lesson

FULL = LessonStop(
    headline='Why "exp" saves its output',
    scene="exp",
    step="3/backward/line1",
    tab="jacobians",
    check=True,
    compare="linear",
    select="ExpBackward#2",
    show=("graph", "code"),
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
        Lesson(title="Linked", page="https://example.org/a?b=1#c"),
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


NOTES = 'title = "A"\n[[stop]]\nscene = "exp"\nnotes = """\n[[stop]]\nminutes = 1\n"""\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = ", "x is not valid TOML: Invalid value (at end of document)."),
        ("", 'x, line 1: title is missing; write title = "..." in the first line.'),
        ('title = "A"\n\nfoo = 1', "x, line 3: foo is not a key of a lesson; use one of title,"),
        ('title = "A"\nstop = 1', "x, line 2: stop is not a list; begin each stop with the line"),
        ('title = "A"\n[[stop]]\n', "x, line 2: A stop needs either scene or trace; write one"),
        *(
            (f"title = 'A'\npage = {page}", "x, line 2: page is not the address of a page; write")
            for page in (
                "'file:///etc/passwd'",
                "'javascript:alert(1)'",
                "'example.org'",
                "'https://'",
                "'https://a b'",
                "'https://a/\"><script>'",
                '"https://a/\\u202eb"',
                f"'https://{'a' * 400}'",
            )
        ),
        (NOTES + "minutes = true", "x, line 8: minutes is not a number; write minutes = 2."),
        (NOTES + "steps = 1", "x, line 8: steps is neither true nor false; write steps = true."),
        (NOTES + "minutes = -1", "x, line 8: minutes is out of range; write a number from 0"),
        (NOTES + "step = 5", 'x, line 8: step is not text; write step = "...".'),
        (NOTES + 'step = "5/x"', "x, line 8: 5/x is not a place in a run; use a step such as 5,"),
        (NOTES + 'tab = "Graph"', "x, line 8: tab Graph does not exist; use one of graph, jac"),
        (NOTES + 'show = "code"', 'x, line 8: show is not a list; write show = ["graph"].'),
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


STOP = 'title = "A"\n[[stop]]\nscene = "exp"\n'
HUGE = "9" * 5_000
EXTREMES = {
    "x = " + "[" * 100_000: "x is too deeply nested for a lesson.",
    "x = " + "{a=" * 100_000: "x is too deeply nested for a lesson.",
    "x = [1,\n" * 100_000: "x is too deeply nested for a lesson.",
    "[" + "a." * 100_000 + "a]": "x is too deeply nested for a lesson.",
    '[""."".' + "'a' . " * 100_000 + "a]": "x is too deeply nested for a lesson.",
    f"minutes = {HUGE}": "x has a number of too many digits.",
    f"minutes = 0x{HUGE}": "x, line 4: minutes is out of range; write a number from 0 to 999.",
    f"minutes = {HUGE[:400]}": "x, line 4: minutes is out of range; write a number from 0 to 999.",
    "minutes = nan": "x, line 4: minutes is out of range; write a number from 0 to 999.",
    f"show = [0x{HUGE}]": 'x, line 4: show is not a list; write show = ["graph"].',
    f'step = "{HUGE[:4_000]}"': f"x, line 4: {HUGE[:4_000]} is not a place in a run; use a step",
    f'step = "{HUGE}"': "x, line 4: step is too long; write at most 4,096 characters.",
    f'notes = "{HUGE * 300}"': "x, line 4: notes is too long; write at most 1,000,000 characters.",
    '[[stop]]\ntrace = "a\\u0000.gradviz"': "x, line 5: trace a\\x00.gradviz is neither",
    "a = 1\n" * 200_000: "x is too large for a lesson.",
    'a = """\n' + '\\"""\n' * 100_000: "x is not valid TOML: ",
    'a = "' + '\\"' * 100_000: "x is not valid TOML: ",
    "a = '''" + "''\n" * 100_000: "x is not valid TOML: ",
}


@pytest.mark.parametrize("text", EXTREMES, ids=lambda text: f"{text:.20}")
def test_an_extreme_value_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(LessonError) as raised:
        parse_lesson(STOP + text, "x")
    assert str(raised.value).startswith(EXTREMES[text])


def test_brackets_and_dots_in_texts_are_no_depth(tmp_path: Path) -> None:
    deep = "[{." * 1_000 + "\"'#"
    lesson = Lesson(title=deep, stops=(LessonStop(scene="exp", notes=deep + "\n" + deep),))
    write_lesson(lesson, tmp_path / "a.gradviz-lesson")
    assert read_lesson(tmp_path / "a.gradviz-lesson") == lesson
    quoted = 'title = """a""""" # [[[[[[[[[[\n[[stop]]\nscene = "exp"\n'
    quoted += "notes = '''[[[[[[[[[['''''\n"
    assert parse_lesson(quoted, "x").stops[0].notes == "[[[[[[[[[[''"


def test_a_byte_order_mark_and_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz-lesson"
    path.write_bytes(b"\xef\xbb\xbf" + STOP.replace("\n", "\r\n").encode())
    assert read_lesson(path) == parse_lesson(STOP, "x")


def test_an_embedded_trace_is_unpacked_only_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(3_000))).decode()
    text = f'{STOP}[traces]\na = "{bomb}"\nb = "{bomb}"\n'
    assert len(parse_lesson(text, "x").traces) == 2
    monkeypatch.setattr(reading, "MOST_TRACE_BYTES", 5_999)
    with pytest.raises(LessonError, match="The embedded traces are larger than 0 MiB"):
        parse_lesson(text, "x")
    monkeypatch.setattr(writing, "MOST_TRACE_BYTES", 5_999)
    lesson = Lesson(title="A", traces=(("a", bytes(6_000)),))
    with pytest.raises(LessonError, match="is too large for a lesson"):
        write_lesson(lesson, tmp_path / "a.gradviz-lesson")
    assert list(tmp_path.iterdir()) == []
    cut = base64.b64encode(zlib.compress(bytes(3_000))[:-3]).decode()
    with pytest.raises(LessonError, match="The embedded trace a is damaged"):
        parse_lesson(f'{STOP}[traces]\na = "{cut}"\n', "x")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe.gradviz-lesson")
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(LessonError, match="it is a pipe or device, not a regular file"):
            read_lesson(path)
    with (sparse := tmp_path / "sparse.gradviz-lesson").open("wb") as file:
        file.truncate(5 << 30)
    with pytest.raises(LessonError, match="is too large for a lesson"):
        read_lesson(sparse)
