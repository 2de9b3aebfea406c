"""``gradviz export lesson.gradviz-lesson -o handout.pdf``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from gradviz.catalogue import optional_packages
from gradviz.catalogue.installation import install_command
from gradviz.cli.main import main
from gradviz.host.job_ending import JobEnding
from gradviz.host.svg_rendering import PictureError
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from gradviz.protocol.messages import CheckRequest, ChildRequest, RunRequest
from tests.builders import linear_trace, write_trace

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<b>&amp;"];\x1b[31m'
STOP = LessonStop(trace="one", step="5", question="What?", notes="The sum.")


def lesson_file(folder: Path, *stops: LessonStop, title: str = "A lesson") -> Path:
    """Write a lesson that embeds the run ``one`` and those that it is compared with."""
    trace = write_trace(folder / "run.gradviz", linear_trace())
    path = folder / "a.gradviz-lesson"
    names = ["one", *(each.compared_run for each in stops if each.trace == "one")]
    traces = tuple((name, trace.read_bytes()) for name in filter(None, names))
    write_lesson(Lesson(title=title, stops=stops, traces=traces), path)
    trace.unlink()
    return path


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Texts of the pages that would be rendered."""
    found: list[list[str]] = []

    def render(svgs: Iterable[str], path: Path, title: str) -> None:
        for svg in svgs:
            root = ElementTree.fromstring(svg)
            found.append([each.text or "" for each in root.iter(f"{SVG}text")])

    monkeypatch.setattr("gradviz.host.svg_rendering.write_pdf", render)
    return found


def test_each_stop_has_a_page_and_the_answers_are_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pages: list[list[str]]
) -> None:
    write_trace(tmp_path / "beside.gradviz", linear_trace())
    stops = (
        STOP,
        LessonStop(headline="Beside", trace="beside.gradviz", step="7"),
        LessonStop(headline="Gone", trace="gone.gradviz", question="Where is it?"),
        LessonStop(headline="Unknown", scene="no-such-scene"),
        LessonStop(headline="Both", trace="one", step="5", tab="compare", compare="linear"),
    )
    out = tmp_path / "handout.pdf"
    assert main(["export", str(lesson_file(tmp_path, *stops)), "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 6 pages\n"
    first, beside, gone, unknown, both, answers = pages
    assert first[:2] == ["Stop 1 of 5", "1"]
    assert "The sum." not in (*first, *beside, *gone, *unknown)
    assert ("LinearFunctionBackward" in beside, "LinearFunctionBackward" in gone) == (True, False)
    assert any("gone.gradviz" in text for text in gone)
    assert any("no-such-scene" in text for text in unknown)
    assert "The two runs are bitwise equal in all 8 steps." in both
    assert answers[:5] == ["Answers", "6", "A lesson", "Answers", "1. LinearFunction, merged"]
    assert "The sum." in answers


@pytest.mark.parametrize("check", [True, False])
def test_a_failed_check_leaves_the_recorded_run(
    check: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: list[list[str]]
) -> None:
    requests: list[ChildRequest] = []

    def run(request: ChildRequest, **_options: object) -> JobEnding:
        requests.append(request)
        if isinstance(request, RunRequest):
            write_trace(Path(request.trace), linear_trace())
            return JobEnding(kind="finished", sentence="")
        return JobEnding(kind="timed_out", sentence="It took too long.")

    monkeypatch.setattr("gradviz.host.pool.run_blocking", run)
    first = LessonStop(scene="linear", step="7", check=check, tab="graph" if check else "jacobians")
    second = LessonStop(scene="linear", step="5", tab="compare", compare="linear-wrong")
    stops = (first, second)
    assert main(["export", str(lesson_file(tmp_path, *stops)), "-o", str(tmp_path / "a.pdf")]) == 0
    assert [type(each) for each in requests] == [RunRequest, CheckRequest, RunRequest]
    assert "weight.grad is set to the 2×3 gradient." in pages[0]
    assert ("The gradients were not checked." in pages[0]) != check
    assert "The two runs are bitwise equal in all 8 steps." in pages[1]
    assert not any("missing" in text for page in pages for text in page)


@pytest.mark.parametrize(
    ("name", "words", "part"),
    [
        ("a.svg", (), "write a path that ends in .pdf or .pptx instead of"),
        ("-", (), "write a path that ends in .pdf or .pptx instead of -"),
        ("a.pdf", ("--size", "800x600"), "--size has no effect on a.gradviz-lesson."),
        ("a.svg", ("--slides",), "write a path that ends in .pdf or .pptx instead of"),
        ("a.pptx", ("--paper", "a4"), "--paper has no effect on slides."),
        ("a.pdf", ("--slides", "--paper", "a4"), "--paper has no effect on slides."),
        ("a.pdf", ("--slides", "--size", "800x600"), "--size has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--theme", "dark"), "--theme has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--step", "5"), "--step has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--with", "linear"), "--with has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--time-limit", "9s"), "--time-limit has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--max-size", "9M"), "--max-size has no effect on a.gradviz-lesson."),
        ("a.pdf", ("--tab", "jacobians"), "The jacobians tab cannot be exported as a.pdf."),
        ("no/a.pdf", (), "no does not exist."),
    ],
)
def test_what_a_handout_cannot_be(
    name: str, words: tuple[str, ...], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = name if name == "-" else str(tmp_path / name)
    assert main(["export", str(lesson_file(tmp_path, STOP)), "-o", out, *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert part in captured.err
    assert captured.err.count("\n") == 1


def test_a_lesson_that_cannot_be_a_handout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lesson_file(tmp_path)
    assert main(["export", str(path), "-o", str(tmp_path / "a.pdf")]) == 2
    assert f"{path} has no stops; add one with [[stop]]." in capsys.readouterr().err
    path.write_text("title = ")
    assert main(["export", str(path), "-o", str(tmp_path / "a.pdf")]) == 2
    assert "is not valid TOML" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_an_older_handout_stays_if_writing_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(svgs: Iterable[str], path: Path, title: str) -> None:
        raise PictureError("The disk is full.")

    monkeypatch.setattr("gradviz.host.svg_rendering.write_pdf", refuse)
    out = tmp_path / "a.pdf"
    out.write_text("older")
    assert main(["export", str(lesson_file(tmp_path, STOP)), "-o", str(out)]) == 2
    assert "The disk is full." in capsys.readouterr().err
    assert out.read_text() == "older"


def test_slides_show_each_stop_and_its_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pages: list[list[str]]
) -> None:
    stops = (STOP, LessonStop(headline="All", trace="one", step="6", steps=True), STOP)
    out = tmp_path / "a.pdf"
    words = ["--slides", "--theme", "dark", str(lesson_file(tmp_path, *stops)), "-o", str(out)]
    assert main(["export", *words]) == 0
    # Each stop has a slide for each click; the second one has two more for steps 7 and 8.
    assert capsys.readouterr().out == f"{out}: {len(pages)} pages\n"
    assert "What?" in pages[0]
    assert "What?" not in pages[len(pages) // 2]
    assert any("weight.grad is set to the 2×3 gradient." in page for page in pages)
    assert not any(line.endswith("…") for page in pages for line in page)
    assert "What we have seen" in pages[-1]
    assert not any("gradviz export" in line for line in pages[-1]), "nobody else has this file"


@pytest.mark.parametrize(
    # In points, of which Qt takes whole ones.
    ("words", "size", "count"),
    [
        ((), (595, 842), 3),
        (("--paper", "letter"), (612, 792), 3),
        # Below so long a title, each stop of the summary has its own column.
        (("--slides",), (960, 540), 7),
    ],
)
def test_the_file_is_a_pdf_on_paper_with_its_fonts(
    words: tuple[str, ...], size: tuple[int, int], count: int, tmp_path: Path
) -> None:
    out = tmp_path / "a.pdf"
    stops = (STOP, replace(STOP, headline="梯度 und Größe"))
    title = HOSTILE + "x" * 300_000
    assert (
        main(["export", str(lesson_file(tmp_path, *stops, title=title)), "-o", str(out), *words])
        == 0
    )
    data = out.read_bytes()
    boxes = re.findall(rb"/MediaBox \[([^\]]*)\]", data)
    assert len(boxes) == count
    assert {tuple(float(each) for each in box.split()[2:]) for box in boxes} == {size}
    for font in (b"Inter-Regular", b"Inter-SemiBold", b"Hack-Regular", b"NotoSansSC"):
        assert font in data
    assert data.count(b"/FontFile") >= 4
    assert b"\x1b" not in data.partition(b"/Title")[2][:200]
    assert sorted(os.listdir(tmp_path)) == ["a.gradviz-lesson", "a.pdf"]


@pytest.mark.parametrize("is_lesson", [True, False])
def test_slides_for_powerpoint(
    is_lesson: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pptx = pytest.importorskip("pptx", reason="needs the packages of the slides extra")
    folder = tmp_path / "lesson"
    folder.mkdir()
    lesson = lesson_file(folder, STOP)
    subject = lesson if is_lesson else write_trace(tmp_path / "run.gradviz", linear_trace())
    out = tmp_path / "a.pptx"
    words = [] if is_lesson else ["--step", "5"]
    # The path says it, with or without the option.
    for option in ([], ["--slides"]):
        assert main(["export", str(subject), "-o", str(out), *option, *words]) == 0
        made = pptx.Presentation(str(out))
        assert capsys.readouterr().out == f"{out}: {len(made.slides)} slides\n"
        assert len(made.slides) > 1
        noted = [each.notes_slide for each in made.slides if each.has_notes_slide]
        notes = {each.notes_text_frame.text for each in noted}
        assert notes == ({"The sum."} if is_lesson else set())


def test_slides_for_powerpoint_without_their_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace()
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda name: None if name == "pptx" else found
    )
    for subject in (str(lesson_file(tmp_path, STOP)), "linear"):
        assert main(["export", subject, "-o", str(tmp_path / "a.pptx")]) == 2
        assert capsys.readouterr().err == (
            "gradviz: Slides for PowerPoint need pptx. Install what is missing with:"
            f" {install_command('slides')}\n"
        )
