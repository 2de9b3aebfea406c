"""What a run did wrong, as `gradviz record` says it at the end."""

from __future__ import annotations

from gradviz.model.finding import Finding, Severity
from gradviz.model.source import Location
from gradviz.text.found_problems import guide_lines, problem_counts, problem_lines


def finding(number: int, severity: Severity, message: str, code: str = "no_history") -> Finding:
    line = Location(path="/home/net.py", line=7, function="f", source=None)
    return Finding(
        id=number,
        code=code,
        severity=severity,
        message=message,
        step=number,
        node=None,
        location=line,
    )


def test_a_single_problem_is_one_line_with_its_place_and_its_page() -> None:
    found = [finding(1, "error", "It failed."), finding(2, "info", "A note.")]
    page = "More in the guide: gradviz guide history-cut"
    assert problem_lines(found) == ("1 error: It failed. (line 7 of net.py)", page)
    assert len(problem_lines([finding(1, "error", "It failed.", code="unknown")])) == 1


def test_a_line_that_the_sentence_names_is_not_repeated() -> None:
    line, _ = problem_lines([finding(1, "error", "Line 7 failed.")])
    assert line == "1 error: Line 7 failed."
    # Not the 7 of another number.
    line, _ = problem_lines([finding(1, "error", "Line 17 failed.")])
    assert line.endswith("(line 7 of net.py)")


def test_several_problems_are_counted_errors_first() -> None:
    found = [finding(number, "warning", f"Line 7, {number}.") for number in range(1, 5)]
    lines = problem_lines([*found, finding(9, "error", "Line 7, 9.")])
    assert lines[:2] == ("Found 1 error and 4 warnings:", "error: Line 7, 9.")
    assert lines[4:] == ("More in the guide: gradviz guide history-cut",)


def test_each_page_is_named_once() -> None:
    codes = ("no_history", "graph_kept", "no_history", "leaf_changed_in_place")
    found = [finding(number, "error", "No.", code) for number, code in enumerate(codes)]
    (line,) = guide_lines([*found, finding(9, "info", "A note.", "many_outputs")])
    pages = "gradviz guide history-cut, gradviz guide graph-kept and gradviz guide leaf-in-place"
    assert line.endswith(pages)
    assert guide_lines([]) == ()


def test_what_is_no_problem_of_the_program_is_not_counted() -> None:
    assert problem_counts([finding(1, "info", "A note.")]) == ""
    assert problem_lines([finding(1, "warning", "Too long.", code="lines_left_out")]) == ()
