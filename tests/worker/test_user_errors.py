"""The sentence about an exception of user code stays short."""

from gradviz.worker.user_errors import describe_error


def test_a_long_class_name_is_cut() -> None:
    error = type("E" * 300_000, (Exception,), {})("x" * 300_000)
    assert len(describe_error(error, "my.py")) < 700
