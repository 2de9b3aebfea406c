"""A wrong argument gives one clear sentence and exit code 2, never a traceback."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.cli.main import main
from gradviz.cli.parser import make_parser
from gradviz.gallery.registry import SCENES
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.protocol.messages import ChildRequest, RunRequest
from tests.builders import linear_trace, write_trace
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.schemas import assert_fits

WRONG = [
    ("--foo", "Unrecognized arguments: --foo"),
    ("nofile.py", "nofile.py is neither a file, a scene nor a command"),
    ("recrod linear", "recrod is neither a file, a scene nor a command. Did you mean record?"),
    ("linea", "Did you mean linear?"),
    ("view linear --stpe 5", "See gradviz view --help. Did you mean --step?"),
    ("guide cubee", "There is no page 'cubee'. Did you mean cube?"),
    ("record -o x", "SCRIPT.py|SCENE|FILE.py:NAME -m MODULE is required"),
    ("record nope -o x", "no scene 'nope'. Available scenes: linear"),
    ("record linaer -o x", "no scene 'linaer'. Did you mean linear?"),
    ("record my.file -o x", "'my.file' is not of the form FILE.py:NAME, nor"),
    ("record nofile.py:F -o x", "file nofile.py does not exist"),
    ("record linear -o /no/such/x", "folder /no/such does not exist"),
    ("check a.ipynb", "a.ipynb is a notebook. Open it with"),
    ("steps nofile", "no scene 'nofile'"),
    ("view ./nofile", "cannot be read"),
    ("view nope", "no scene 'nope'"),
    ("lesson nope", "no lesson nope; use a .gradviz-lesson file or one of lecture"),
    ("lesson no.gradviz-lesson", "no.gradviz-lesson cannot be read"),
    ("check linear --eps x", "x is not a non-negative number"),
    ("check linear --atol -1", "-1 is not a non-negative number"),
    ("check linear --rtol nan", "nan is not a non-negative number"),
    ("check linear --time-limit 0", "0 is not a time like 90, 90s or 2m"),
    ("doctor x.py --memory-limit much", "much is not a size like 64M or 2G"),
    ("record --output-limit 1M x.py", "--output-limit requires a scene or an entry"),
    ("export nofile -o graph.bmp", ".svg, .png, .pdf, .pptx, .dot, .mmd, .drawio, .gif"),
    ("export nofile -o a.svg --with b", "--with has no effect on a.svg."),
    ("export nofile -o - --with b", "--with has no effect on standard output."),
    ("export linear -o a.html --with nope", "no scene 'nope'"),
    ("export nofile -o a.gif --step 1", "--step has no effect on a.gif."),
    ("export nofile -o a.mp4 --scale 2", "--scale has no effect on a.mp4."),
    ("export nofile -o a.gif --transparent", "--transparent has no effect on a.gif."),
    ("export nofile -o a.gif --tab jacobians", "cannot be exported as a.gif."),
    ("export nofile -o a.dot --step 1", "--step has no effect on a.dot."),
    ("export nofile -o a.dot --theme light", "--theme has no effect on a.dot."),
    ("export nofile -o a.html --theme dark", "--theme has no effect on a.html."),
    ("export nofile -o a.html --size 800x600", "--size has no effect on a.html."),
    ("export nofile -o a.html --steps all", "--steps has no effect on a.html."),
    ("export nofile -o a.npz --step 1", "--step has no effect on a.npz."),
    ("export nofile -o a.pdf --scale 2", "--scale has no effect on a.pdf."),
    ("export nofile -o a.safetensors --size 800x600", "--size has no effect on a.safetensors."),
    ("export nofile -o a.png --seconds 1", "--seconds has no effect on a.png."),
    ("export nofile -o a.html --seconds 1", "--seconds has no effect on a.html."),
    ("export nofile -o a.gif --seconds 0", "0 is not a time from 0.1 to 60 seconds"),
    ("export nofile -o a.gif --seconds 60.01", "60.01 is not a time from 0.1 to 60"),
    ("export nofile -o graph.svg --steps 9:2", "9:2 is not a range of steps like 2:9"),
    ("export nofile -o graph.svg --steps 0:2", "0:2 is not a range of steps like 2:9"),
    ("export nofile -o - --steps all", "--steps has no effect on standard output."),
    ("export nofile -o a.svg --step 1 --steps all", "--step or --steps, not both"),
    ("export linear -o a.svg --tab jacobians --step 2", "with --tab jacobians."),
    ("export nofile -o a.pdf --paper letter", "--paper has no effect on a.pdf."),
    ("export lecture -o a.pdf --paper a5", "a5"),
    ("export nofile -o a.tex --steps all", "--steps has no effect on a.tex."),
    ("export nofile -o a.tex --theme dark", "--theme has no effect on a.tex."),
    ("export nofile -o a.png --slides", "--slides has no effect on a.png."),
    ("export nofile -o a.pdf --slides --size 800x600", "has no effect on slides."),
    ("export linear -o a.pdf --tab jacobians --slides", "with --tab jacobians."),
    ("export nofile -o a.png --text font", "--text has no effect on a.png."),
    ("export lecture -o a.pdf --text font", "--text has no effect on lecture"),
    ("export nofile -o graph.png --scale 0", "0 is not a scale like 2 or 1.5"),
    ("export nofile -o - --scale 2", "--scale has no effect on standard output."),
    ("export nofile -o graph.svg --step 0", "0 is not a positive integer"),
    ("export nofile -o graph.svg --step 5/backward/3", "is not a place such as"),
    ("screenshot linear --size 1 -o a.png", "1 is not a size"),
    ("screenshot linear -o a.gif", "must end in .png"),
    ("screenshot linear --step 0 -o a.png", "0 is not a positive integer"),
    ("screenshot linear --step 1/here -o a.png", "1/here is not a place"),
    ("steps nofile --level byte", "invalid choice: 'byte'"),
    ("screenshot nope -o a.png", "no scene 'nope'"),
    ("screenshot linear --tab x -o a.png", "invalid choice: 'x'"),
    ("screenshot linear --with exp -o a.png", "--with requires --tab compare"),
]


FOLDERS = [
    ("record folder.py", "folder.py is a folder. Name a file in it."),
    ("record folder", "folder is a folder. Name a file in it."),
    ("check folder.py linear", "folder.py is a folder."),
    ("check folder.py:F", "folder.py is a folder."),
    ("check ./folder", "./folder is a folder."),
    ("check linear --reference folder.py:f", "folder.py is a folder."),
    ("folder.py", "folder.py is a folder."),
    ("view folder", "folder is a folder."),
]


@pytest.mark.parametrize(("words", "part"), FOLDERS)
def test_a_folder_is_not_missing(
    words: str,
    part: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("folder", "folder.py"):
        (tmp_path / name).mkdir()
    test_wrong_argument(words, part, capsys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("verb", ["check", "record", "doctor"])
def test_a_pipe_is_not_waited_for(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    test_wrong_argument(f"{verb} {tmp_path}/pipe.py", "is not a regular file", capsys)


def test_a_file_named_like_a_module_of_python_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "argparse.py").write_text("raise OSError")
    command = [sys.executable, "-m", "gradviz", "scenes"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run(command, input=b"", cwd=tmp_path, env=env, check=True, capture_output=True)


def test_a_trace_needs_an_open_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["record", "linear", "-o", "-"]) == 2
    assert "The output cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "part"), WRONG)
def test_wrong_argument(words: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert part in captured.err
    assert captured.err.startswith("gradviz: ")
    assert captured.err.count("\n") == 1


def test_file_that_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("hello")
    assert main(["steps", str(other)]) == 2
    assert "is not a gradviz trace" in capsys.readouterr().err
    assert main([str(other)]) == 2
    assert "not a Python file" in capsys.readouterr().err


def test_steps_are_printed_on_the_level_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_trace(tmp_path / "run.gradviz", inside_trace(), INSIDE_TENSORS))
    assert main(["steps", path, "--level", "op"]) == 0
    text = capsys.readouterr().out
    assert "         op1       aten::clone takes self 2×3 (all ones)" in text
    assert main(["steps", path, "--level", "op", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert_fits(document, "steps")
    assert document["steps"][4]["stages"][0]["ops"][0]["place"] == "5/backward/op1"
    assert main(["steps", path]) == 0
    assert "op1" not in capsys.readouterr().out


def test_step_beyond_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    assert main(["export", str(path), "-o", str(tmp_path / "a.svg"), "--step", "9"]) == 2
    assert "There is no step 9; this trace has steps 1 to 8." in capsys.readouterr().err
    for steps in ("2:12", "12:"):
        assert main(["export", str(path), "-o", str(tmp_path / "a.svg"), "--steps", steps]) == 2
        assert "There is no step 12; this trace has steps 1 to 8." in capsys.readouterr().err
    assert main(["export", str(path), "-o", str(tmp_path / "a.svg"), "--step", "5/forward"]) == 2
    assert "Step 5 has no stage forward." in capsys.readouterr().err


def test_steps_have_a_file_or_a_page_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    out = tmp_path / "a.svg"
    assert main(["export", str(path), "-o", str(out), "--steps", "7:"]) == 0
    names = [tmp_path / "a-7.svg", tmp_path / "a-8.svg"]
    assert capsys.readouterr().out == f"{names[0]} to {names[1]}: 2 files\n"
    for number, name in zip((7, 8), names, strict=True):
        assert f'aria-label="Step {number} of 8 ·' in name.read_text(encoding="utf-8")
    assert sorted(tmp_path.iterdir()) == [*names, path]
    pages: list[str] = []
    monkeypatch.setattr("gradviz.host.svg_rendering.write_pdf", lambda svgs, *_: pages.extend(svgs))
    assert main(["export", str(path), "-o", str(tmp_path / "a.pdf"), "--steps", "all"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'a.pdf'}: 8 pages\n"
    assert len(pages) == 8
    os.mkfifo(tmp_path / "b-8.svg")
    assert main(["export", str(path), "-o", str(tmp_path / "b.svg"), "--steps", "8:8"]) == 2
    assert "b-8.svg cannot be written" in capsys.readouterr().err


def test_export_that_is_not_possible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    for name in ("no/graph.dot", "no/graph.svg"):
        assert main(["export", str(path), "-o", str(tmp_path / name)]) == 2
        captured = capsys.readouterr().err
        assert captured == f"gradviz: The folder {tmp_path / 'no'} does not exist.\n"
    empty = replace(linear_trace(), nodes=(), edges=(), saved=(), calls=(), steps=(), console=())
    path = write_trace(tmp_path / "empty.gradviz", empty)
    for name in ("graph.dot", "graph.svg"):
        assert main(["export", str(path), "-o", str(tmp_path / name)]) == 2
        assert "gradviz: This trace has no graph" in capsys.readouterr().err
    assert main(["export", str(path), "-o", str(tmp_path / "run.html")]) == 2
    assert "gradviz: This trace has no steps" in capsys.readouterr().err
    for name in ("run.html", "run.npz"):
        assert main(["export", str(path), "-o", str(tmp_path / name), "--tab", "jacobians"]) == 2
        assert f"The jacobians tab cannot be exported as {name}." in capsys.readouterr().err


def test_a_page_compares_as_the_command_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = write_trace(tmp_path / "a.gradviz", linear_trace())
    right = write_trace(tmp_path / "b.gradviz", inside_trace(), INSIDE_TENSORS)
    out = tmp_path / "a-and-b.html"
    assert main(["compare", str(left), str(right), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert main(["export", str(left), "-o", str(out), "--with", str(right)]) == 0
    (island,) = re.findall(
        'type="application/json" id="run">(.*?)</script>', out.read_text("utf-8")
    )
    data = json.loads(island)
    assert data["compare"]["summary"] == document["summary"]
    assert (data["start"], document["first"]["left"]) == ("compare", 5)
    pairs = {each["left"]: each for each in data["compare"]["pairs"]}
    for step in document["steps"]:
        values = [each for each in pairs[step["left"]]["values"] if each["sides"]]
        if step["values"]:
            assert {each["text"] for each in values} == {each["text"] for each in step["values"]}
    assert main(["export", str(left), "-o", str(out), "--with", str(right), "--step", "5"]) == 0
    assert '"start":"5"' in out.read_text("utf-8")


def test_a_trace_needs_no_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    for command, option, value in (
        (["steps", str(path)], "--time-limit", "9"),
        (["export", str(path), "-o", str(tmp_path / "a.svg")], "--max-size", "2G"),
        (
            ["export", str(path), "-o", str(tmp_path / "a.html"), "--with", str(path)],
            "--max-size",
            "2G",
        ),
        (["compare", str(path), str(path)], "--time-limit", "9"),
        (["check", str(path)], "--memory-limit", "2G"),
        (["screenshot", str(path), "-o", str(tmp_path / "a.png")], "--output-limit", "1M"),
        # The default one.
        (["screenshot", str(path), "-o", str(tmp_path / "a.png")], "--time-limit", "2m"),
    ):
        assert main([*command, option, value]) == 2
        assert capsys.readouterr().err == (
            f"gradviz: {path} is a trace, which is only read: options that limit a run require a"
            " scene or FILE.py:NAME.\n"
        )


def test_record_replaces_no_file_that_is_no_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("hello")
    assert main(["record", "exp", "-o", str(notes)]) == 2
    assert "notes.txt is not a gradviz trace" in capsys.readouterr().err
    assert notes.read_text() == "hello"
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_help_and_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--help"])
    assert stopped.value.code == 0
    assert "usage: gradviz check" in capsys.readouterr().out
    assert main(["scenes"]) == 0
    assert "linear-wrong" in capsys.readouterr().out
    assert main(["scenes", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert_fits(document, "scenes")
    assert [each["id"] for each in document["scenes"]] == [each.id for each in SCENES]


@pytest.mark.parametrize("words", [["linear"], ["--scene", "linear"], ["--scene=linear"]])
def test_scenes_are_named_with_and_without_the_option(words: list[str]) -> None:
    parse = make_parser().parse
    assert parse(["screenshot", *words, "-o", "a.png"]).subject == "linear"
    assert parse(["record", *words]).target == "linear"
    assert parse(["record", "train.py", *words]).arguments == words


@pytest.mark.parametrize("verb", ["view", "export", "screenshot"])
def test_verbs_that_show_a_place_take_the_same_options(verb: str) -> None:
    options = ["--step", "5/backward", "--tab", "jacobians", "--theme", "dark", "--size", "640x400"]
    outputs = [] if verb == "view" else ["-o", "a.png"]
    parsed = make_parser().parse([verb, "run.gradviz", *options, *outputs])
    assert (parsed.subject, parsed.step, parsed.tab) == ("run.gradviz", "5/backward", "jacobians")
    assert (parsed.theme, parsed.size) == ("dark", (640, 400))
    assert make_parser().parse([verb, "exp", *outputs]).step is None


def test_lessons_are_listed_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "--print"]) == 0
    assert "lecture                   45 min" in capsys.readouterr().out
    assert main(["lesson", "differentiate-twice", "--print"]) == 0
    printed = capsys.readouterr().out
    stop = "5. Wrong, and no error (cube-wrong 13)\nThe correct second derivative is 48."
    assert stop in printed


@pytest.mark.parametrize("has_display", [True, False])
def test_lessons_are_chosen_in_the_window_or_listed_without_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], has_display: bool
) -> None:
    shown: list[object] = []
    monkeypatch.setattr("gradviz.cli.lesson.check_window", lambda: has_display)
    monkeypatch.setattr(
        "gradviz.cli.window.open_window", lambda _, target: shown.append(target.panel) or 0
    )
    assert main(["lesson"]) == 0
    assert shown == (["lesson"] if has_display else [])
    assert bool(capsys.readouterr().out) != has_display


def test_a_notebook_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("{}")
    assert main(["record", str(path)]) == 2
    assert f"`gradviz record {path}:cell_1`" in capsys.readouterr().err


def test_a_trace_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Whatever its name is.
    path = write_trace(tmp_path / "run", linear_trace())
    assert main(["record", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"gradviz: {path} is a trace, not a program. Open it with `gradviz {path}`, or print its"
        f" steps with `gradviz steps {path}`.\n"
    )


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["scenes"]])
def test_short_commands_import_only_what_they_need(words: list[str]) -> None:
    code = """
import sys
from gradviz.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules)
"""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, input="", capture_output=True, text=True)
    imported = set(done.stdout.splitlines()[-1].split())
    assert "gradviz.cli.parser" in imported
    assert not imported & {"numpy", "torch", "gradviz.analysis", "gradviz.cli.check"}


@pytest.mark.parametrize(
    "words",
    [
        ["record", "own.py:F"],
        ["check", "own.py"],
        ["compare", "own.py:F", "linear"],
        ["compare", "linear", "exp"],
        ["steps", "linear"],
        ["export", "linear", "-o", "a.svg"],
        ["export", "linear", "-o", "a.svg", "--tab", "jacobians"],
        ["export", "linear", "-o", "a.html", "--with", "own.py:F"],
        ["export", "run.gradviz", "-o", "a.html", "--with", "linear"],
    ],
)
def test_every_run_of_a_verb_has_the_limits_of_the_command(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text("")
    write_trace(tmp_path / "run.gradviz", linear_trace())
    monkeypatch.chdir(tmp_path)
    used: list[Limits] = []

    def run_blocking(request: ChildRequest, *, limits: Limits | None = None, **_: object) -> None:
        used.append(limits or Limits())
        raise KeyboardInterrupt

    monkeypatch.setattr("gradviz.host.pool.run_blocking", run_blocking)
    options = ["--time-limit", "2m", "--memory-limit", "3G"]
    assert main([*words, *options]) == 130
    assert [(each.time_s, each.memory_bytes) for each in used] == [(120, 3 << 30)]


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (JobEnding(kind="timed_out", sentence="Stopped at the time limit of 2 s."), "Stopped at"),
        (None, "Canceled."),
    ],
)
def test_the_trace_of_a_stopped_run_says_why(
    ending: JobEnding | None,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    def run_blocking(request: RunRequest, **_: object) -> JobEnding:
        write_trace(Path(request.trace), replace(linear_trace(), outcome=None))
        if ending is None:
            raise KeyboardInterrupt
        return ending

    monkeypatch.setattr("gradviz.host.pool.run_blocking", run_blocking)
    assert main(["record", "linear", "-o", "a.gradviz"]) == (130 if ending is None else 2)
    assert main(["steps", "a.gradviz"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"The recording ends after step 8. {reason}")
    assert main(["steps", "a.gradviz", "--format", "json"]) == 0
    assert_fits(document := json.loads(capsys.readouterr().out), "steps")
    assert document["outcome"]["kind"] == "stopped"


def test_a_scene_whose_process_failed_says_so_after_its_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_blocking(request: RunRequest, **_: object) -> JobEnding:
        write_trace(Path(request.trace), replace(linear_trace(), outcome=None))
        return JobEnding(kind="failed", sentence="gradviz itself failed: no reason given.")

    monkeypatch.setattr("gradviz.host.pool.run_blocking", run_blocking)
    assert main(["steps", "linear"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "failed: gradviz itself failed: no reason given."
