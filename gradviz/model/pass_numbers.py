"""Losses and gradient norms of passes, whether they are recorded or not."""

from msgspec import Struct

from gradviz.model.codec import Real


class PassNumbers(Struct, frozen=True, kw_only=True):
    """What is known of some consecutive backward passes of a run.

    Attributes:
        first: Number of the first one, counted as in `PassRange`.
        losses: For each pass, the number at which it starts; None if it starts at no single number
            that can be read.
        names: Names of the leaves with gradients.
        norms: For each leaf, the L2 norm of its ``.grad`` after each pass; None if it has none that
            can be read.
        lines: For each pass, the line of the program that started it, or 0; a single one if that
            holds for all.
    """

    first: int
    losses: tuple[Real | None, ...]
    names: tuple[str, ...]
    norms: tuple[tuple[Real | None, ...], ...]
    lines: tuple[int, ...] = ()
