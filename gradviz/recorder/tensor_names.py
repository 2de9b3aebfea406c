"""Names of tensors, from the parameter paths of modules and from the source."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from gradviz.recorder.module_call_names import called_variable
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_compat import unwrap
from gradviz.recorder.variable_places import find_place, has_loop_variable, holds_other_model


class TensorNames:
    """Names of living tensors, by identity."""

    def __init__(self) -> None:
        self._names = WeakNames()
        self._parameters = WeakNames()
        self._others = WeakNames()
        self._leaves = WeakNames()
        self._counts: Counter[str] = Counter()
        self._owned: dict[int, tuple[weakref.ref[torch.Tensor], bool]] = {}
        self._roots: weakref.WeakKeyDictionary[torch.nn.Module, str] = weakref.WeakKeyDictionary()
        self._called: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self._families = _Families()
        self._stale = False
        self._was_called = False
        self._is_single = True

    def add_root_module(self, module: torch.nn.Module, *, inside: bool = False) -> str:
        """Note a call of a module that is no part of a running one; use its parameter paths.

        They follow the name of the variable that holds it, if it is known, for parameters of the
        module itself and of all modules but the first, so that one can tell them apart. A part of a
        larger module, which runs through other methods of that, has the path from there.

        Args:
            module: The module.
            inside: Whether another module calls it.

        Returns:
            Its variable, or its path in the larger module; empty if unknown.
        """
        self._was_called = True
        known = self._called.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        variable, is_global = called_variable(module)
        # A module that is made in each call is not searched for among all objects each time.
        root = module if is_global or inside else self._families.outermost(module)
        if root is module:
            path = self._add_root(root, variable, "")
        else:
            variable = self._add_root(root, "", type(root).__name__)
            paths = [path for path, each in root.named_modules() if each is module]
            path = paths[0] if paths else ""
            path = f"{variable}.{path}" if path[:1].isdigit() else path
        self._called[id(module)] = weakref.ref(module), printable_text(path)
        return printable_text(path)

    def add_owner(self, module: torch.nn.Module) -> None:
        """Use the parameter paths of a module of which none is called, but only other methods."""
        self._was_called = True
        root = self._families.outermost(module)
        self._add_root(root, "", type(root).__name__)

    def _add_root(self, root: torch.nn.Module, variable: str, unknown: str) -> str:
        if root in self._roots:
            return self._roots[root]
        frame = caller()
        if not variable or has_loop_variable(variable, frame):
            variable = find_place(root, frame).removeprefix("self.") or variable or unknown
        if not self._roots:
            self._is_single = not holds_other_model(root, frame)
        names = [name.split("#")[0] for name in self._roots.values()]
        if variable and (count := names.count(variable)):
            variable = f"{variable}#{count + 1}"
        self.add_named_root(root, variable)
        return variable

    def add_named_root(self, module: torch.nn.Module, variable: str) -> None:
        """Use the parameter paths of a module as names, as `add_root_module` does."""
        self._roots[module] = variable
        self._stale = True

    def note_parameters(self, module: torch.nn.Module) -> None:
        """Note a module that begins to run: under `functional_call`, it has other tensors."""
        for each in registered(module, "_parameters").values():
            if each is not None and not issubclass(type(each), torch.nn.Parameter):
                self._stale = self._stale or not self._parameters.of(each)

    def give(self, tensor: torch.Tensor, name: str) -> None:
        """Name a tensor as the source does; the first name is kept."""
        self._names.give(tensor, printable_text(name))

    def has_path(self, tensor: torch.Tensor) -> bool:
        """Whether a leaf is a parameter of a known module."""
        return bool(self._parameter(tensor))

    def find_leaf_name(self, tensor: torch.Tensor) -> str:
        """Name of a leaf; empty if it has none."""
        if isinstance(tensor, torch.nn.Parameter) or not self._names.of(tensor):
            return self._parameter(tensor) or self._names.of(tensor)
        return self._names.of(tensor)

    def unique_leaf_name(self, tensor: torch.Tensor) -> str:
        """Name of a leaf, with a number, as ``x#2``, if another variable's leaf had it before."""
        path, known = self._parameters.of(tensor), self._leaves.of(tensor)
        if path and not known and isinstance(tensor, torch.nn.Parameter):
            return path
        name = self.find_leaf_name(tensor)
        if not name or known == name or known.startswith(f"{name}#"):
            return known
        # The path of a parameter is also that of values which `functional_call` uses in its place.
        if self._parameters.of(tensor) == name or tensor_compat.grad_fn_of(tensor) is not None:
            return name
        self._counts[name] += 1
        count = self._counts[name]
        unique = name if count == 1 else f"{name}#{count}"
        self._leaves.give(tensor, unique, stronger=True)
        return unique

    def of(self, tensor: torch.Tensor) -> str:
        """Name of any tensor; empty if it has none."""
        return self._names.of(tensor) or self._parameters.of(tensor)

    def exclude_passed_parameters(self, values: tuple[Any, ...]) -> None:
        """Note a module's arguments: parameters among them are owned by the caller."""
        for each in values:
            # Asking the value itself could run the user's code.
            if issubclass(type(each), torch.nn.Parameter):
                self._owned[id(each)] = (weakref.ref(each), True)

    def is_owned(self, tensor: torch.nn.Parameter) -> bool:
        """Whether a module has registered a parameter or received it as an argument."""
        if self._parameter(tensor):
            return True
        if [each for module in self._roots for each in module.parameters() if each is tensor]:
            return True
        known = self._owned.get(id(tensor))
        if known is None or known[0]() is not tensor:
            known = self._owned[id(tensor)] = (weakref.ref(tensor), _has_owner(tensor))
        return known[1]

    def _parameter(self, tensor: torch.Tensor) -> str:
        name = self._parameters.of(tensor)
        # While `functional_call` runs, the parameters of a module are other tensors.
        is_late = self._was_called and isinstance(tensor, torch.nn.Parameter)
        if name or not (self._stale or is_late):
            return name
        self._stale = self._was_called = False
        self._others = WeakNames()
        is_first = self._is_single
        for module, variable in list(self._roots.items()):
            if self._read(module, variable, is_first=is_first):
                is_first = False
        return self._parameters.of(tensor)

    def _read(self, module: torch.nn.Module, variable: str, *, is_first: bool) -> bool:
        """Learn the paths of all parameters of a model, all of them for a shared one.

        Returns:
            Whether it has any.
        """
        first: dict[int, str] = {}
        for path, parameter in module.named_parameters(remove_duplicate=False):
            name = printable_text(path)
            # A path in a ``Sequential`` begins with a number, which tells nothing alone.
            if variable and not (is_first and "." in name and not name[0].isdigit()):
                name = f"{variable}.{name}"
            # A transform such as `torch.func.grad` calls the model with wrappers.
            leaf = unwrap(parameter)
            self._parameters.give(parameter, name)
            self._parameters.give(leaf, name)
            known = first.setdefault(id(leaf), name)
            if known != name:
                so_far = self._others.of(leaf)
                self._others.give(leaf, f"{so_far}, {name}" if so_far else name, stronger=True)
        return bool(first)

    def others_of(self, leaf: torch.Tensor) -> str:
        """Further paths of a parameter that several modules share, separated by commas."""
        return self._others.of(leaf)


def _living_modules() -> Iterator[torch.nn.Module]:
    """All modules; the function goes through all objects of the process."""
    for each in gc.get_objects():
        # Not `isinstance`, which reads ``__class__`` and may so run code of any object.
        if issubclass(type(each), torch.nn.Module):
            yield each


def _may_be_registered(value: object, kind: type) -> bool:
    """Whether a dict that may be a module's has a value among others of its kind.

    To ask takes a third of the time of `_living_modules`.
    """
    for holder in gc.get_referrers(value):
        if issubclass(type(holder), dict):
            values = [each for each in list(dict.values(holder)) if each is not None]
            if not [each for each in values if not issubclass(type(each), kind)]:
                return True
    return False


def registered(module: torch.nn.Module, kind: str) -> dict[str, Any]:
    """What a module has registered as ``_parameters`` or ``_modules``, by name."""
    # Read without a module's own ``__getattr__``; an unfinished one may have none.
    return object.__getattribute__(module, "__dict__").get(kind) or {}


def _has_owner(tensor: torch.nn.Parameter) -> bool:
    """Whether a living module has registered a parameter, even if never called itself.

    This happens if a module is only used through its methods. Call it only once for each tensor.
    """
    if not _may_be_registered(tensor, torch.Tensor):
        return False
    held = [registered(module, "_parameters") for module in _living_modules()]
    return bool([each for parameters in held for each in parameters.values() if each is tensor])


def outermost_modules(leaves: Sequence[torch.Tensor]) -> list[torch.nn.Module]:
    """Living modules that are no part of others and have some of the leaves, in their order."""
    families = _Families()
    found: dict[int, list[torch.nn.Module]] = {}
    for module in families.read():
        for each in registered(module, "_parameters").values():
            found.setdefault(id(each), []).append(families.outermost(module))
    return list(dict.fromkeys(each for leaf in leaves for each in found.get(id(leaf), ())))


class _Families:
    """Which module is a part of which."""

    def __init__(self) -> None:
        self._parents: dict[int, tuple[weakref.ref[Any], weakref.ref[Any] | None]] = {}

    def outermost(self, module: torch.nn.Module) -> torch.nn.Module:
        """The module of which it is a part and which is no part of another; or itself."""
        if self._entry(module) is None:
            if self._parents or _may_be_registered(module, torch.nn.Module):
                self.read()
            else:
                self._parents[id(module)] = (weakref.ref(module), None)
        seen = {id(module)}
        while (entry := self._entry(module)) is not None and entry[1] is not None:
            above = entry[1]()
            if above is None or id(above) in seen:
                break
            module = above
            seen.add(id(module))
        return module

    def _entry(
        self, module: torch.nn.Module
    ) -> tuple[weakref.ref[Any], weakref.ref[Any] | None] | None:
        entry = self._parents.get(id(module))
        return entry if entry is not None and entry[0]() is module else None

    def read(self) -> list[torch.nn.Module]:
        """Find out which module is a part of which, and return all modules."""
        found = list(_living_modules())
        for module in found:
            if self._entry(module) is None:
                self._parents[id(module)] = (weakref.ref(module), None)
            for part in registered(module, "_modules").values():
                if part is not None:
                    self._parents[id(part)] = (weakref.ref(part), weakref.ref(module))
        return found


class WeakNames:
    """Names of living tensors by identity; a freed tensor's name goes to no other tensor."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[weakref.ref[torch.Tensor], str]] = {}

    def give(self, tensor: torch.Tensor, name: str, *, stronger: bool = False) -> None:
        """Name a tensor, unless it already has a name and the new one is not ``stronger``."""
        if stronger or self.of(tensor) == "":
            self._names[id(tensor)] = (weakref.ref(tensor), name)

    def of(self, tensor: torch.Tensor) -> str:
        """Name of a tensor; empty if it has none."""
        entry = self._names.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else ""
