"""A type that is no tensor and that torch functions take all the same: value * eye(N)."""

import functools

import torch

HANDLED: dict[object, object] = {}


def implements(torch_function):
    """Registers a function as the answer to a torch function."""

    def register(function):
        functools.update_wrapper(function, torch_function)
        HANDLED[torch_function] = function
        return function

    return register


class ScalarTensor:
    def __init__(self, N, value):
        self.N = N
        self.value = value

    def __repr__(self):
        return f"ScalarTensor(N={self.N}, value={self.value})"

    def tensor(self):
        return self.value * torch.eye(self.N)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func not in HANDLED or not all(
            issubclass(t, torch.Tensor | ScalarTensor) for t in types
        ):
            return NotImplemented
        return HANDLED[func](*args, **kwargs)


class UnwrappingScalarTensor(ScalarTensor):
    """Where there is no handler, it becomes a dense tensor and the function is called again."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in HANDLED:
            return HANDLED[func](*args, **kwargs)
        dense = [each.tensor() if isinstance(each, ScalarTensor) else each for each in args]
        return func(*dense, **kwargs)


class Diagonal:
    """The same numbers without the protocol."""

    def __init__(self, N, value):
        self.N = N
        self.value = value


def ensure_tensor(data):
    return data.tensor() if isinstance(data, ScalarTensor) else torch.as_tensor(data)


@implements(torch.mean)
def mean(input):
    return float(input.value) / input.N


@implements(torch.add)
def add(input, other):
    if isinstance(input, ScalarTensor) and isinstance(other, ScalarTensor):
        if input.N != other.N:
            raise ValueError(f"Shape mismatch: N={input.N} and N={other.N}")
        return type(input)(input.N, input.value + other.value)
    return torch.add(ensure_tensor(input), ensure_tensor(other))


def attempt(function, *args):
    """Prints what a call returns, or how it fails."""
    try:
        print(f"{function.__name__}: {function(*args)}")
    except (TypeError, ValueError) as error:
        print(f"{function.__name__} raised {type(error).__name__}: {error}")


def tour():
    s = ScalarTensor(2, 2)
    attempt(torch.mean, ScalarTensor(5, 2))
    attempt(torch.add, s, s)
    attempt(torch.add, s, torch.tensor([[1, 1], [1, 1]]))
    attempt(torch.add, s, ScalarTensor(3, 2))
    print(ScalarTensor(3, 2).tensor())
    attempt(torch.mean, Diagonal(5, 2))
    attempt(torch.mul, s, 3)
    unwrapping = UnwrappingScalarTensor(2, 2)
    attempt(torch.mul, unwrapping, unwrapping)
