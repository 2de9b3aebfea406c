"""A wrapper around a tensor that carries a unit, with autograd running through it."""

import torch


class UnitError(TypeError):
    """Two units that do not go together."""


class Quantity:
    def __init__(self, value, unit):
        self.value = value
        self.unit = dict(unit)

    def __repr__(self):
        powers = [name if power == 1 else f"{name}^{power}" for name, power in self.unit.items()]
        return f"Quantity({self.value.tolist()}, {' '.join(powers) or '1'})"

    def __add__(self, other):
        return torch.add(self, other)

    def __mul__(self, other):
        return torch.mul(self, other)

    def sum(self):
        return torch.sum(self)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        rule = RULES.get(func)
        if rule is None:
            return NotImplemented
        values = [each.value if isinstance(each, Quantity) else each for each in args]
        units = [each.unit if isinstance(each, Quantity) else {} for each in args]
        return cls(func(*values, **(kwargs or {})), rule(*units))


def same(first, second):
    if first != second:
        raise UnitError(f"cannot add {' '.join(first) or '1'} and {' '.join(second) or '1'}")
    return first


def product(first, second):
    powers = {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}
    return {name: power for name, power in powers.items() if power}


RULES = {torch.add: same, torch.mul: product, torch.sum: lambda unit: unit}


def area(x):
    length = Quantity(x, {"metre": 1})
    time = Quantity(torch.ones_like(x), {"second": 1})
    print(length + length)
    try:
        print(length + time)
    except UnitError as error:
        print(f"UnitError: {error}")
    squares = length * length
    print(squares)
    squares.sum().value.backward()
