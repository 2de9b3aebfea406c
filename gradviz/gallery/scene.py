"""Scene values: the code to run, its inputs, and related scenes."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.catalogue.language import translated
from gradviz.catalogue.scene_keys import scene_group_key, scene_key
from gradviz.model.inputs import BackwardStart, InputSpec

SCENES_FOLDER = "gradviz.gallery.scenes"

_FROM_THE_SUM = BackwardStart()

NO_BACKWARD_START = BackwardStart(gradient="nothing")
"""Start of a scene that is a small program and runs its own backward passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A small program that shows one thing about autograd.

    Attributes:
        id: Name on the command line, in files, and of its page in the guide, like ``linear-wrong``.
        title: English title.
        summary: One or two English sentences about what to look at.
        program: What is run, as ``module.name`` in the folder of scenes; of a Function, its
            ``apply`` is called.
        inputs: Inputs in the order of the arguments.
        start: How backward starts.
        compare_with: Ids of scenes to compare it with, the best one first.
        checked: Name in that module of the callable for Jacobian checks, if it is not the one that
            is run; it gets the first inputs. ``-`` if there is nothing to check.
        fails: Whether the run ends with an exception on purpose.
    """

    id: str
    title: str
    summary: str
    program: str
    inputs: tuple[InputSpec, ...]
    start: BackwardStart = _FROM_THE_SUM
    compare_with: tuple[str, ...] = ()
    checked: str = ""
    fails: bool = False

    @property
    def module(self) -> str:
        """Dotted name of the module that contains it."""
        return f"{SCENES_FOLDER}.{self.program.partition('.')[0]}"

    @property
    def callable_name(self) -> str:
        """Name of what is run in that module."""
        return self.program.partition(".")[2]

    @property
    def display_title(self) -> str:
        """Title in the current language."""
        return translated(scene_key(self.id, "title"), self.title)

    @property
    def display_summary(self) -> str:
        """What to look at, in the current language."""
        return translated(scene_key(self.id, "summary"), self.summary)

    @property
    def can_be_checked(self) -> bool:
        """Whether the scene has Jacobians to check."""
        return self.checked != "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneGroup:
    """Scenes that the library lists below one heading.

    Attributes:
        id: Name in translations.
        title: English heading.
        scenes: The scenes.
    """

    id: str
    title: str
    scenes: tuple[Scene, ...]

    @property
    def display_title(self) -> str:
        """Heading in the current language."""
        return translated(scene_group_key(self.id), self.title)


def arange(name: str, *shape: int) -> InputSpec:
    """Input with the values 0, 1, 2 ... in a shape."""
    return InputSpec(name=name, shape=shape, fill="arange", requires_grad=True)


def randn(name: str, *shape: int, requires_grad: bool = True) -> InputSpec:
    """Input with normally distributed values in a shape."""
    return InputSpec(name=name, shape=shape, fill="randn", requires_grad=requires_grad)


def values(
    name: str, shape: tuple[int, ...], *elements: float, requires_grad: bool = True
) -> InputSpec:
    """Input with the given elements in row-major order in a shape."""
    return InputSpec(
        name=name, shape=shape, fill="values", values=elements, requires_grad=requires_grad
    )


def literal(name: str, text: str) -> InputSpec:
    """Input that is a Python literal."""
    return InputSpec(name=name, kind="object", text=text)


NO_BIAS = InputSpec(name="bias", kind="none")
