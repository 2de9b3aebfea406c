"""Sentences end and follow each other as English and Chinese write them."""

from __future__ import annotations

from gradviz.catalogue.language import load_language
from gradviz.text.punctuation import join_sentences, with_full_stop, without_full_stop


def test_sentences_are_joined_by_a_space_except_after_chinese_marks() -> None:
    assert join_sentences(["It runs.", "", None, "It ends."]) == "It runs. It ends."
    assert join_sentences(["开始运行。", "结束。", "Done."]) == "开始运行。结束。Done."
    assert (
        join_sentences(["RuntimeError: bad", "改用 backward。"])
        == "RuntimeError: bad 改用 backward。"
    )
    assert join_sentences([]) == ""


def test_a_full_stop_is_that_of_the_language() -> None:
    for whole in ("It failed.", "Why?", "失败。", "失败！"):
        assert with_full_stop(whole) == whole
    assert with_full_stop("It failed") == "It failed."
    try:
        load_language("zh")
        assert with_full_stop("引发了 ValueError") == "引发了 ValueError。"
    finally:
        load_language("en")
    assert [without_full_stop(text) for text in ("It failed.", "失败。", "Why?")] == [
        "It failed",
        "失败",
        "Why?",
    ]
