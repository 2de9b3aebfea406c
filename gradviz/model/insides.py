"""What was recorded inside of steps, found by the number of the step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradviz.model.inside import Inside


class Insides(Mapping[int, Inside]):
    """A mapping over records, each made only when it is asked for."""

    def __init__(self, records: Sequence[Inside], numbers: Sequence[int] | None = None) -> None:
        """Takes the records.

        Args:
            records: One for each step that has something inside.
            numbers: The ``id`` of each, where that is known without making the records.
        """
        self._records = records
        known = [record.id for record in records] if numbers is None else numbers
        self._places = {number: place for place, number in enumerate(known)}

    def __getitem__(self, number: int) -> Inside:
        """What is inside a step.

        Raises:
            KeyError: If nothing was recorded there.
        """
        return self._records[self._places[number]]

    def __contains__(self, number: object) -> bool:
        """Whether a step has something inside."""
        return number in self._places

    def __len__(self) -> int:
        """How many steps have something inside."""
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        """The numbers of these steps, ascending."""
        return iter(self._places)


def insides_of(records: Sequence[Inside]) -> Insides:
    """The mapping over the records of a trace, also of one whose records wait in a file."""
    return Insides(records, getattr(records, "numbers", None))
