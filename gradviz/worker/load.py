"""Loading of what is to be run: a gallery scene, or a user's file as a new module.

Where a file stands in a package, so that it can be imported with its relative imports.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from gradviz.catalogue.messages import say
from gradviz.gallery.registry import UnknownSceneError, scene
from gradviz.model.inputs import SCRIPT, RunSubject
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.store.file_kind import kind_of
from gradviz.worker.examples import find_example
from gradviz.worker.given_arguments import GivenArgument
from gradviz.worker.notebook.cell_run import load_cell
from gradviz.worker.program.script import load_script
from gradviz.worker.signature import CallTarget, call_target
from gradviz.worker.undeclared.targets import undeclared_target
from gradviz.worker.user_errors import CaughtError, WorkError, describe_error, error_line


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagePlace:
    """The place of a file in a package.

    Attributes:
        root: The folder that contains the outermost package.
        name: Name of the module, such as ``package.module``.
    """

    root: str
    name: str

    @property
    def package(self) -> str:
        """Name of the package to which relative imports refer."""
        return self.name.rpartition(".")[0]


def package_place(path: str) -> PackagePlace | None:
    """Find the package of a file by the ``__init__.py`` files above it; None if it has none.

    A project with a ``pyproject.toml`` may leave them out: its packages begin in the project's
    folder, or in ``src`` below it.

    Args:
        path: Absolute path of a Python file.
    """
    folder, file = os.path.split(path)
    root = folder
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
        root = os.path.dirname(root)
    if root == folder:
        root = _project_root(folder)
    parts = os.path.relpath(folder, root).split(os.sep)
    stem = os.path.splitext(file)[0]
    names = [*parts, stem] if stem != "__init__" else parts
    if root == folder or not all(each.isidentifier() for each in names):
        return None
    return PackagePlace(root=root, name=".".join(names))


def _project_root(folder: str) -> str:
    """The folder in which a project's packages begin; the folder itself if there is no project."""
    above = folder
    while not os.path.isfile(os.path.join(above, "pyproject.toml")):
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)
    source = os.path.join(above, "src")
    return source if folder.startswith(os.path.join(source, "")) else above


def imports_relatively(tree: ast.AST) -> bool:
    """Whether a file imports from its own package, as in ``from .module import name``."""
    return any(isinstance(node, ast.ImportFrom) and node.level > 0 for node in ast.walk(tree))


@calls_user_code
def load_file(path: str) -> ModuleType:
    """Run a file as a new module, like ``import``, with its folder on ``sys.path``.

    A file with relative imports becomes a module of its package, which is imported first.

    Raises:
        WorkError: If it is not named as a Python file, cannot be read, or raises; the message then
            names the line.
    """
    path = os.path.abspath(path)
    _refuse_other_kinds(path)
    code, is_relative = _compiled(path)
    place = package_place(path)
    sys.path.insert(0, os.path.dirname(path))
    if place is not None:
        sys.path.insert(1, place.root)
    with CaughtError() as caught:
        if place is None or not is_relative:
            module = _run(code, _free_name(path), path)
        else:
            importlib.import_module(place.package or place.name)
            # The package may have imported it; a second time, it might register an op twice.
            module = sys.modules.get(place.name) or _run(code, place.name, path)
    if caught.error is not None:
        line = error_line(caught.error, path)
        raise WorkError(describe_error(caught.error, path), line) from caught.error
    return module


def _refuse_other_kinds(path: str) -> None:
    """Run no trace, lesson or text, whoever asks for it."""
    if kind_of(Path(path)) != "python":
        raise WorkError(say("file.not_python", path=path))


def _compiled(path: str) -> tuple[CodeType, bool]:
    """The code of a file, and whether it has relative imports.

    Timestamps are coarse, so a cached ``.pyc`` could be from an older version.
    """
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        return compile(tree, path, "exec", dont_inherit=True), imports_relatively(tree)
    except OSError as error:
        raise WorkError(say("file.unreadable", path=path, reason=error.strerror)) from None
    except SyntaxError as error:
        raise WorkError(describe_error(error, path), error_line(error, path)) from error
    except (RecursionError, MemoryError) as error:
        raise WorkError(say("file.too_deep", file=Path(path).name)) from error
    except ValueError as error:  # a null byte, up to Python 3.11.3
        raise WorkError(say("file.invalid", file=Path(path).name, reason=error)) from error


def _free_name(path: str) -> str:
    """A name that replaces no module that is imported, or will be, under the name of the file."""
    name = Path(path).stem
    if name in sys.modules or not name.isidentifier() or name in sys.stdlib_module_names:
        return f"gradviz_file_{name}"
    return name


@calls_user_code
def _run(code: CodeType, name: str, path: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    # Before it runs, as ``import`` does: a dataclass looks up its module here.
    sys.modules[name] = module
    exec(code, module.__dict__)
    # Whatever the code has done to them.
    module.__file__ = path
    module.__dict__.setdefault("__name__", name)
    return module


def load(
    subject: RunSubject, *, checked: bool = False
) -> tuple[CallTarget, tuple[GivenArgument, ...]]:
    """What to call and, for a file, the arguments from its example.

    Args:
        subject: A scene, or a name in a file.
        checked: Whether to load it for a check of Jacobians; for a scene that is a program, that is
            the Function in it.

    Raises:
        WorkError: If it cannot be loaded or does not exist.
    """
    if subject.scene:
        return _load_scene(subject.scene, checked=checked), ()
    if kind_of(Path(subject.path)) == "notebook":
        if checked:
            raise WorkError(say("target.cell"))
        return load_cell(subject.path, subject.name), ()
    if subject.name == SCRIPT:
        if checked:
            raise WorkError(say("target.script"))
        _refuse_other_kinds(subject.path)
        return load_script(subject.path), ()
    module = load_file(subject.path)
    example = find_example(module, subject.name)
    if example is not None:
        return example.target, example.arguments
    path = os.path.abspath(subject.path)
    if subject.name not in vars(module):
        name = f"{subject.name!r:.60}"
        raise WorkError(say("target.undefined", file=Path(path).name, name=name))
    return undeclared_target(subject.name, vars(module)[subject.name], path), ()


def _load_scene(scene_id: str, *, checked: bool) -> CallTarget:
    try:
        found = scene(scene_id)
    except UnknownSceneError as error:
        raise WorkError(str(error)) from error
    if checked and not found.can_be_checked:
        raise WorkError(say("target.no_jacobians", scene=scene_id))
    name = (found.checked if checked else "") or found.callable_name
    module = importlib.import_module(found.module)
    return call_target(name, getattr(module, name), str(module.__file__))
