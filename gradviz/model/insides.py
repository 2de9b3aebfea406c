"""Look up what was recorded inside a step by the number of the step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradviz.model.inside import Inside


class Insides(Mapping[int, Inside]):
    """A mapping from step numbers to records, each created on demand."""

    def __init__(self, records: Sequence[Inside], numbers: Sequence[int] | None = None) -> None:
        """Map step numbers to the given records.

        Args:
            records: One for each step that has something inside.
            numbers: The ``id`` of each record, if known without creating the records.
        """
        self._records = records
        known = [record.id for record in records] if numbers is None else numbers
        self._places = {number: place for place, number in enumerate(known)}

    def __getitem__(self, number: int) -> Inside:
        """What was recorded inside a step.

        Raises:
            KeyError: If nothing was recorded there.
        """
        return self._records[self._places[number]]

    def __contains__(self, number: object) -> bool:
        """Whether something was recorded inside a step."""
        return number in self._places

    def __len__(self) -> int:
        """Number of steps that have something inside."""
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        """The numbers of these steps, ascending."""
        return iter(self._places)


def insides_of(records: Sequence[Inside]) -> Insides:
    """Map the records of a trace by step, without loading those still in a file."""
    return Insides(records, getattr(records, "numbers", None))
