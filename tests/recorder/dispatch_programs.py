"""Programs with types that override torch functions; each returns observable results."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import torch
from torch.overrides import handle_torch_function, has_torch_function_unary

HANDLED: dict[Any, Any] = {}


class Held:
    """A type whose protocol returns every kind of result."""

    made = 0

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        Held.made += 1
        raise AssertionError("nobody asked for this")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.neg:
            return NotImplemented
        if func is torch.exp:
            return "itself"
        if func in HANDLED:
            return HANDLED[func](*args, **(kwargs or {}))
        values = [each.value if isinstance(each, Held) else each for each in args]
        return func(*values, **(kwargs or {}))


def add(one, other):
    return Held(torch.add(one.value, other.value))


def div(one, other):
    raise ZeroDivisionError("no division")


HANDLED[torch.add] = add
HANDLED[torch.div] = div


class Logged(torch.Tensor):
    calls: tuple[str, ...] = ()

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Logged.calls += (getattr(func, "__name__", "?"),)
        return super().__torch_function__(func, types, args, kwargs or {})


class Deeper(Logged):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs)


class SwitchedOff(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl  # noqa: SLF001


class Plain(torch.Tensor):
    """A subclass that overrides no functions."""


class Guard(type):
    def __setattr__(cls, name, value):
        raise AttributeError(f"{name} cannot be set")


class Guarded(metaclass=Guard):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "guarded"


class ByStatic:
    @staticmethod
    def __torch_function__(func, types, args=(), kwargs=None):
        return "static"


class ByMethod:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return "method"


class Slots:
    __slots__ = ("kept", "never")

    def __init__(self, kept: Any) -> None:
        self.kept = kept

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(*shape, dtype=torch.float64, requires_grad=True)


def told(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a call, or its error."""
    try:
        result = function(*args, **kwargs)
    except (TypeError, RuntimeError, ZeroDivisionError) as error:
        return type(error).__name__, str(error)
    return ("Held", result.value) if isinstance(result, Held) else result


def every_answer():
    one, other = Held(ones(2)), Held(ones(2) * 3)
    results = [told(each, one, other) for each in (torch.add, torch.mul, torch.div)]
    return [*results, told(torch.neg, one), told(torch.exp, one), Held.made]


def logging_subclass():
    Logged.calls = ()
    x = ones(3)
    logged = x.as_subclass(Logged)
    values, places = (logged * torch.tensor([1.0, 3.0, 2.0])).max(dim=0)
    (values * 2).sum().backward()
    return values.as_subclass(torch.Tensor), places.as_subclass(torch.Tensor), x.grad, Logged.calls


def properties_and_in_place():
    Logged.calls = ()
    logged = torch.zeros(2, 3).as_subclass(Logged)
    shape = tuple(logged.shape)
    logged.add_(1)
    logged[0] = 5
    return shape, logged.as_subclass(torch.Tensor), Logged.calls


def deeper_subclass():
    Logged.calls = ()
    deep, logged = ones(2).as_subclass(Deeper), ones(2).as_subclass(Logged)
    result = logged * deep
    return type(result).__name__, result.as_subclass(torch.Tensor), Logged.calls


def wrong_shapes():
    logged = ones(2).as_subclass(Logged)
    return told(torch.mul, logged, ones(3)), told(torch.mm, logged, logged)


def no_dispatch_at_all():
    parameter = torch.nn.Parameter(torch.ones(2))
    off, plain = ones(2).as_subclass(SwitchedOff), ones(2).as_subclass(Plain)
    linear = torch.nn.Linear(2, 1)
    with torch.no_grad():
        linear.weight.fill_(1)
        linear.bias.fill_(1)
    result = linear(parameter * 2) + (off * 2).sum() + (plain * 2).sum().as_subclass(torch.Tensor)
    result.sum().backward()
    return type(off * 2).__name__, type(plain * 2).__name__, parameter.grad


def forms_of_the_method():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = told(torch.mean, ByMethod())
    return told(torch.mean, Guarded()), told(torch.mean, ByStatic()), method


def function_of_the_user(value):
    if has_torch_function_unary(value):
        return handle_torch_function(function_of_the_user, (value,), value)
    return value + 1


def python_functions():
    held = Held(ones(2))
    return told(function_of_the_user, held), told(torch.nn.functional.relu, held)


def nested_in_a_handler():
    def twice(one, other):
        return torch.add(one, torch.add(one, other))

    HANDLED[torch.sub] = twice
    try:
        return told(torch.sub, Held(ones(2)), Held(ones(2)))
    finally:
        del HANDLED[torch.sub]


def in_threads():
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = told(torch.mul, Held(ones(2) * number), Held(ones(2)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return [found[number] for number in range(3)]


def types_switched_off_by_hand():
    class ByHand(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001
                return func(*args, **(kwargs or {}))

    x = ones(2)
    y = (x.as_subclass(ByHand) * 2).sum()
    y.backward()
    return y.item(), x.grad


PROGRAMS = {
    program.__name__: program
    for program in (
        *(every_answer, logging_subclass, properties_and_in_place, deeper_subclass, wrong_shapes),
        *(no_dispatch_at_all, forms_of_the_method, python_functions, nested_in_a_handler),
        *(in_threads, types_switched_off_by_hand),
    )
}
