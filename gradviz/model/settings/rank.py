"""Which process of a distributed program a recording comes from."""

from collections.abc import Mapping

from msgspec import Struct


class Rank(Struct, frozen=True, kw_only=True):
    """A process among those of a distributed program.

    Attributes:
        number: Its number, from 0.
        count: The number of processes, which torch calls the world size.
    """

    number: int
    count: int

    @property
    def suffix(self) -> str:
        """What follows a file's name where each process writes one, such as ``-rank0``."""
        return f"-rank{self.number}"


def rank_in(environment: Mapping[str, str]) -> Rank | None:
    """The rank that ``torchrun`` gave to a process; None if it did not start several.

    Args:
        environment: Variables of the process; ``RANK`` and ``WORLD_SIZE`` count.
    """
    number, count = environment.get("RANK", ""), environment.get("WORLD_SIZE", "")
    if not (number.isdecimal() and count.isdecimal() and int(number) < int(count) > 1):
        return None
    return Rank(number=int(number), count=int(count))
