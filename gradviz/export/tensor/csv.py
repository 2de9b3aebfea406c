"""A matrix as comma-separated values, with all digits."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from gradviz.export.tensor.whole_tensor import few_enough, plain_number


def csv_text(matrix: npt.NDArray[Any]) -> str:
    """Format one line per row: ``1.0,nan,-inf``; complex elements as ``1.0+2.0j``.

    Args:
        matrix: ``[rows, columns]``.

    Raises:
        ExportError: If there are too many elements for text.
    """
    lines = (",".join(plain_number(each) for each in row) for row in few_enough(matrix))
    return "".join(f"{line}\n" for line in lines)
