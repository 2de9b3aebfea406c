"""The sentence about an exception of user code stays short."""

from gradviz.worker.user_errors import describe_error


def test_a_long_class_name_is_cut() -> None:
    error = type("E" * 300_000, (Exception,), {})("x" * 300_000)
    assert len(describe_error(error, "my.py")) < 700


class OddText(str):
    def splitlines(self, keepends: bool = False) -> list[str]:
        raise ValueError("odd")


def test_a_message_may_be_of_a_subclass_of_str() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            return OddText("odd text")

    assert describe_error(OddError(), "my.py") == "OddError: odd text."
