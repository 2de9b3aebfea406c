"""A subclass of Tensor that tells which torch functions are called with it."""

import torch


class LoggingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        if name != "__get__":
            print(name.strip("_"))
        return super().__torch_function__(func, types, args, kwargs or {})


def square_and_sum(x):
    logged = x.as_subclass(LoggingTensor)
    loss = (logged * logged).sum()
    loss.backward()
    print(type(loss).__name__, loss.item())
