"""The methods of one class by their lines: other classes in the file may have its name."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from gradviz.linter.source_findings import SourceFinding


class ExaminedMethods(Struct, frozen=True, kw_only=True):
    """The methods of a class, as they are in its file.

    Attributes:
        functions: Names of the class and of those that it derives from.
        lines: First lines of its methods, decorators included; None if they are unknown.
    """

    functions: Collection[str]
    lines: Collection[int] | None = None

    def include(self, finding: SourceFinding) -> bool:
        """Whether a finding of the file is in one of the methods."""
        is_there = self.lines is None or finding.method_line in self.lines
        return is_there and finding.function in self.functions
