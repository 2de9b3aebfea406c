"""The values at a position of two runs, with their difference, as a document."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, cast

from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.model.tensor import TensorValue
from gradviz.viewer.compare.value_pairs import PairedValue
from gradviz.viewer.rows.rows_view import ColumnWidth
from gradviz.viewer.translation import translate

PAIR_WIDTHS = (
    ColumnWidth(82),
    ColumnWidth(74),
    ColumnWidth(74),
    ColumnWidth(74),
    ColumnWidth(90, grows=1),
)


def pairs_document(pairs: Sequence[PairedValue], kind: Literal["run", "change"]) -> Document:
    """Return a row for each value, which is its key.

    Args:
        pairs: The values.
        kind: What is compared: two runs, or a run with one whose values were changed.
    """
    if kind == "change":
        titles = (
            translate("DifferencesTable", "Value"),
            translate("DifferencesTable", "Original"),
            translate("DifferencesTable", "Changed"),
            translate("DifferencesTable", "Difference"),
            translate("DifferencesTable", "Largest difference"),
        )
    else:
        titles = (
            translate("ValuePairTable", "Value"),
            translate("ValuePairTable", "Left"),
            translate("ValuePairTable", "Right"),
            translate("ValuePairTable", "Right − left"),
            translate("ValuePairTable", "Comparison"),
        )

    def row(key: Hashable) -> Row:
        pair = cast("PairedValue", key)
        tone: FieldTone = "muted" if pair.same else "plain"

        def value(text: str, picture: TensorValue | None) -> Field:
            shown = "" if picture is not None else text
            return Field(text=shown, tip=text, tone=tone, tensor=picture, limit=pair.limit)

        difference = "" if pair.difference is None else pair.comparison
        tip = pair.comparison
        if kind == "change":
            tip = translate(
                "DifferencesTable", "{0}\nIn parentheses: relative to the original element."
            ).format(tip)
        strong = kind == "run" and not pair.agrees
        texts = (pair.name, pair.role, pair.left.text, pair.right.text, pair.comparison)
        fields = (
            Field(text=f"{pair.name}\n{pair.role}", tone=tone),
            value(pair.left.text, pair.left.value),
            value(pair.right.text, pair.right.value),
            value(difference, pair.difference),
            Field(text=pair.comparison, tip=tip, tone=tone, strong=strong),
        )
        return Row(fields=fields, spoken=", ".join(filter(None, texts)))

    return Document(titles=titles, keys=pairs, row=row)
