"""Specification of a run: which callable, with which inputs, and how backward starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

FillKind = Literal[
    "arange",
    "linspace",
    "zeros",
    "ones",
    "full",
    "eye",
    "randn",
    "rand",
    "randint",
    "values",
    "given",
]
InputKind = Literal["tensor", "none", "object", "file", "words"]
StartGradient = Literal["sum", "ones", "randn", "nothing"]
ModuleMode = Literal["given", "train", "eval"]

if TYPE_CHECKING:
    Number = int | float | complex
else:
    from numbers import Number  # a type that `number_from` decodes

FILL_PARAMETERS: dict[FillKind, tuple[str, ...]] = {
    "linspace": ("start", "end"),
    "full": ("fill_value",),
    "randint": ("low", "high"),
}
"""Torch's names for the numbers that a fill takes; fills that are not listed take none."""

RANDOM_FILLS: tuple[FillKind, ...] = ("randn", "rand", "randint")
"""Fills that depend on the seed."""

DEFAULT_SEED = 0
"""Seed of a run unless another one is chosen."""

MOST_VALUES = 4096
"""Largest number of elements that can be edited one by one or shown from the user's file."""

SCRIPT = "__main__"
"""Name under which a file itself is run as a script."""

DTYPES = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "complex128",
    "complex64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)
"""Dtypes that the input form offers."""

DIFFERENTIABLE_DTYPES = DTYPES[:6]
"""Offered dtypes that can require a gradient."""


TENSOR_SUFFIXES = (".npy", ".npz", ".pt", ".pth", ".safetensors")
"""Endings of files with tensors."""

STATE_SUFFIXES = (".pt", ".pth", ".safetensors")
"""Endings of files with state dicts."""

_TENSOR_FILE = (
    rf"(?is)(?P<path>.+?(?P<suffix>{'|'.join(map(re.escape, TENSOR_SUFFIXES))}))(?::(?P<key>.+))?"
)


class InputFile(Struct, frozen=True, kw_only=True):
    """A tensor in a file.

    Attributes:
        path: Path of the file.
        suffix: Its ending in lower case, one of `TENSOR_SUFFIXES`.
        key: Name of the tensor in a file with several; empty for the only one.
    """

    path: str
    suffix: str
    key: str


def parse_input_file(text: str) -> InputFile | None:
    """Read ``x.npy`` or ``weights.pt:layer.bias``; None if the text has another form."""
    found = re.fullmatch(_TENSOR_FILE, text.strip())
    if found is None:
        return None
    return InputFile(path=found["path"], suffix=found["suffix"].lower(), key=found["key"] or "")


class InputSpec(Struct, frozen=True, kw_only=True):
    """How one argument is created.

    Attributes:
        name: Name of the parameter it is passed to.
        kind: Kind of value; ``object`` is any Python literal, ``file`` is a tensor in a file, and
            ``words`` are the arguments of a script as a shell would read them.
        shape: Sizes, for tensors.
        dtype: One of `DTYPES`, for tensors.
        fill: Torch's function of that name; ``values`` uses the elements in ``values``; ``given``
            uses the input that the user's file creates.
        parameters: Numbers that the fill takes, in the order of `FILL_PARAMETERS`.
        values: Elements in row-major order if fill is ``values``. If it is ``given``, elements to
            show, for tensors of at most `MOST_VALUES` elements. Otherwise empty.
        requires_grad: Whether the tensor requires a gradient, also one in a file.
        text: The literal, for objects, the words, or the file, as `parse_input_file` reads it. If
            fill is ``given``, the file's own object is used as long as this text is unchanged or is
            not a literal.
        note: Why a container that the file creates is one input, as a sentence; else empty.
    """

    name: str
    kind: InputKind = "tensor"
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    fill: FillKind = "randn"
    parameters: tuple[Number, ...] = ()
    values: tuple[Number, ...] = ()
    requires_grad: bool = False
    text: str = ""
    note: str = ""


class BackwardStart(Struct, frozen=True, kw_only=True):
    """How the backward pass starts.

    Attributes:
        output: Index of the output to differentiate.
        gradient: ``sum`` differentiates the sum of that output, which adds a node; ``ones`` and
            ``randn`` pass such a gradient to the output; ``nothing`` runs no backward.
    """

    output: int = 0
    gradient: StartGradient = "sum"


class ModuleSetup(Struct, frozen=True, kw_only=True):
    """What is done to an ``nn.Module`` before it is called.

    Attributes:
        state_dict: File whose state dict it loads, as `parse_input_file` reads it: the key is that
            of a state dict inside of a checkpoint. Empty to keep what the user's file creates.
        mode: ``train`` or ``eval`` calls that method; ``given`` keeps the mode of each submodule.
    """

    state_dict: str = ""
    mode: ModuleMode = "given"


GIVEN_SETUP = ModuleSetup()
"""Leaves a Module as the user's file creates it."""


def is_state_file(text: str) -> bool:
    """Whether a text names a file that can contain a state dict."""
    file = parse_input_file(text)
    return file is not None and file.suffix in STATE_SUFFIXES


class RunSubject(Struct, frozen=True, kw_only=True):
    """What is run: a scene of the gallery, or a name in a file of the user.

    Attributes:
        scene: Id of the scene; empty for a file.
        path: Path of the file; empty for a scene.
        name: Name in the file; empty for a scene.
    """

    scene: str = ""
    path: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """Text as on the command line: ``scene:linear`` or ``file.py:Name``."""
        return f"scene:{self.scene}" if self.scene else f"{self.path}:{self.name}"


class Offer(Struct, frozen=True, kw_only=True):
    """Something that can be run, with its default inputs.

    Attributes:
        subject: What is run.
        title: Title for people.
        inputs: Default inputs, in the order of the arguments.
        start: How backward starts.
        device: Where the inputs are created: ``cpu`` or an accelerator such as ``cuda``.
        seed: Seed for random fills, for what the file creates, and for the run itself.
        module: What is done to a Module before the call.
        line: Line number of its definition in the file; 0 if unknown.
        is_module: Whether it is an ``nn.Module``, which has its own parameters.
        given_mode: Mode of a Module and its submodules as the file creates them; empty if unknown.
        is_declared: Whether the default inputs are those of the scene or of the file's example.
        expression: For a Module of which the file defines only the class, the expression that
            creates it; otherwise empty.
        is_plain_function: Whether it is an undeclared function that is no custom Function. It is
            called only if the user asks for it, as it may do anything.
        is_from_text: Whether it was only found in the text of the file, which has not run; then
            its inputs are not known.
        opens: Whether the window shows it when its file opens, without running it.
    """

    subject: RunSubject
    title: str
    inputs: tuple[InputSpec, ...]
    start: BackwardStart = BackwardStart()
    device: str = "cpu"
    seed: int = DEFAULT_SEED
    module: ModuleSetup = GIVEN_SETUP
    line: int = 0
    is_module: bool = False
    given_mode: Literal["", "train", "eval", "mixed"] = ""
    is_declared: bool = True
    expression: str = ""
    is_plain_function: bool = False
    is_from_text: bool = False
    opens: bool = False

    @property
    def waits_for_choice(self) -> bool:
        """Whether it runs only if the user chooses it, and not when its file opens."""
        return self.is_plain_function or self.is_from_text

    def with_setup_of(self, other: Offer) -> Offer:
        """This offer and its inputs, with the start, device, seed and Module setup of another."""
        return replace(
            self, start=other.start, device=other.device, seed=other.seed, module=other.module
        )


def unread_example(path: str, name: str) -> Offer:
    """An example of a file that has not run, so that only its name is known.

    Args:
        path: The file.
        name: Its name; empty for the first example.
    """
    subject = RunSubject(path=path, name=name)
    return Offer(subject=subject, title=name, inputs=(), is_declared=False, is_from_text=True)


def with_given_values(offer: Offer, given: Sequence[InputSpec]) -> Offer:
    """Return an offer that shows the elements the file has created for its inputs.

    Args:
        offer: Its inputs that the file creates get other elements; all else stays.
        given: What the file has created, found by name, shape and dtype.
    """
    by_name = {spec.name: spec for spec in given}

    def shown(spec: InputSpec) -> InputSpec:
        new = by_name.get(spec.name)
        is_given = new is not None and spec.fill == new.fill == "given"
        if new is None or not is_given or (spec.shape, spec.dtype) != (new.shape, new.dtype):
            return spec
        return replace(spec, values=new.values)

    return replace(offer, inputs=tuple(map(shown, offer.inputs)))
