"""The guide on the command line."""

from __future__ import annotations

import pytest

from gradviz.cli.main import main
from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.guide.pages import page_title


def test_contents_list_every_page_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(PAGES)
    assert all(line.endswith(page_title(name)) for line, name in zip(lines, PAGES, strict=True))


def test_a_page_is_plain_text_with_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide", "linear"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(page_title("linear"))
    assert "[[3, 4, 5], [9, 14, 19]]" in text
    assert "Y = X W" in text
    assert "\\bar" not in text
    assert not any(mark in text for mark in ("{{", "**", "](", "$"))


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("second time", "carried-state"),
        ("an inplace operation", "step-too-early"),
        ("Does not require grad", "history-cut"),
        (
            "RuntimeError: One of the differentiated Tensors does not require grad",
            "input-without-grad",
        ),
        ("have different metadata", "recomputed"),
        ("its inputs were marked as dirty during the forward method were not returned", "GV303"),
    ],
)
def test_a_page_is_found_by_the_message_that_it_explains(
    message: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["guide", message]) == 0
    assert capsys.readouterr().out.startswith(page_title(name))


def test_a_page_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide", "cubes"]) == 2
    assert "There is no page 'cubes'" in capsys.readouterr().err
