# fmt: off
# ruff: noqa: E731 - lambdas are to be followed as well
"""Functions whose lines are hard to follow; each program runs one forwards and backwards."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

Program = Callable[[], Any]
LINE_PROGRAMS: dict[str, Program] = {}


def program(cls: type[Function]) -> type[Function]:
    def run():
        x = torch.arange(1.0, 5.0, dtype=torch.float64).requires_grad_()
        y = cls.apply(x)
        y.sum().backward()
        return y, x.grad

    LINE_PROGRAMS[cls.__name__] = run
    return cls


class Doubles(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@program
class SpansLines(Doubles):
    @staticmethod
    def forward(ctx, x):
        """Not an executed statement.

        Nor is this.
        """
        y = (
            x.mul(2)
            .add(
                0
            )
        )
        text = """
        of several lines
        """ + f"""{
        text_of(
            1)
        }"""
        z = y \
            + 0 * \
            len(text)
        return torch.add(
            z,
            0,
        )


def text_of(value):
    return str(
        value
    )


@program
class Loops(Doubles):
    @staticmethod
    def forward(ctx, x):
        total = x.new_zeros(())
        for i in range(
            3
        ):
            if i == 1:
                continue
            for j in (0, 1):
                total = total + x[i] * j
            else:
                total = total * 1
        while total < 0:
            pass
        else:
            n = 0
        while True:
            n += 1
            if n > 2:
                break
        for _ in []:
            n = 0
        return x * 2


@program
class Raises(Doubles):
    @staticmethod
    def forward(ctx, x):
        try:
            fails(x)
        except (
            KeyError,
            ValueError,
        ) as error:
            text = str(error)
        else:
            text = ""
        finally:
            n = len(text)
        try:
            with contextlib.suppress(KeyError):
                raise KeyError(n)
            try:
                {}["a"]
            finally:
                n += 1
        except KeyError:
            pass
        return x * 2


def fails(x):
    for i in range(2):
        if i:
            raise ValueError(
                "of several lines"
            )
    return x


@program
class Generators(Doubles):
    @staticmethod
    def forward(ctx, x):
        values = [each * 1 for each in pieces(x)]
        ones = pieces(x)
        first = next(ones)
        second = ones.send(
            3
        )
        ones.close()
        left_open = pieces(x)
        next(left_open)
        ctx.left = left_open
        total = sum(each.sum() for each in outer(x))
        sorted(values, key=lambda each: float(each.sum()))
        return (first + second).sum() * 0 + x * 2 + total * 0


def pieces(x):
    try:
        for i in range(2):
            got = yield x[i : i + 2]
            if got is not None:
                yield x[got - 1 : got + 1]
    finally:
        done = True
        assert done


def outer(x):
    yield x[:2]
    yield from pieces(x)
    count = yield x[:1]
    assert count is None


@program
class Nested(Doubles):
    @staticmethod
    def forward(ctx, x):
        offset = 0

        def shift(value, by=(
            1
        )):
            nonlocal offset
            offset += by
            return value * 1

        @functools.lru_cache
        def cached(n):
            return n + offset

        class Holder:
            factor = 2

            def scaled(self, value):
                return value * self.factor

        twice = lambda value: (
            value * 1 +
            value * 0
        )
        cached(1)
        cached(1)
        return twice(Holder().scaled(shift(shift(x))))


@program
class Recursive(Doubles):
    @staticmethod
    def forward(ctx, x):
        return halves(x) * 2


def halves(x):
    if len(x) < 2:
        return x
    middle = len(x) // 2
    return torch.cat((
        halves(x[:middle]),
        halves(x[middle:]),
    ))


@program
class Matches(Doubles):
    @staticmethod
    def forward(ctx, x):
        match x.shape:
            case (1,) | (2,):
                factor = 1
            case (n,) if (
                n > 10
            ):
                factor = 3
            case (n,):
                factor = 2
            case _:
                factor = 0
        if (half := n // 2) and (
            half > 1
        ):
            factor *= 1
        elif half:
            factor = 0
        else:
            factor = 0
        value = (
            factor
            if factor > 1
            else 0
        )
        return x * value


def counted(function):
    @functools.wraps(function)
    def wrapper(ctx, *gradients):
        result = function(ctx, *gradients)
        return result

    return wrapper


@program
class Decorated(Doubles):
    @staticmethod
    @counted
    @once_differentiable
    @counted
    def backward(ctx, grad):
        with torch.no_grad(), \
                contextlib.nullcontext() as nothing:
            result = grad * 2
        assert nothing is None
        return result


@program
class Numpy(Doubles):
    @staticmethod
    def forward(ctx, x):
        array = x.detach().numpy()
        other = np.sort(array)
        other[0] = 5
        view = other[1:]
        view *= 2
        return x * 2


@program
class Inner(Doubles):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            y = Loops.apply(leaf)
            y.sum().backward()
        ctx.inner = leaf.grad
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        inner = ctx.inner
        return grad * inner


@program
class Hooked(Doubles):
    @staticmethod
    def forward(ctx, x):
        with torch.autograd.graph.saved_tensors_hooks(packed, unpacked):
            ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        del x
        return grad * 2


def packed(tensor):
    return tensor.numpy(force=True)


def unpacked(array):
    tensor = torch.from_numpy(array)
    return tensor


@program
class Shadows(Doubles):
    @staticmethod
    def forward(ctx, x):
        x = x * 1
        x = x * 2
        y = z = x
        y.mul_(1)
        del y
        for z in (x, x):
            z.mul_(1)
        import math as maths
        n: int = maths.floor(2.5)
        n += 1
        (a, *b), c = (1, 2, 3), n
        assert [a, b, c] == [1, [2, 3], 3], "else it is wrong"
        return x
