"""Functions whose lines are hard to trace, for a Python without torch."""
# fmt: off
# ruff: noqa

import contextlib, functools


def text_of(v):
    return str(
        v
    )


def spans(x):
    y = (
        x
        + len(
            "a"
        )
    )
    z = [
        text_of(each)
        for each in range(3)
        if each
    ]
    d = {k: v
         for k, v in
         zip("ab", (1, 2))}
    return max(
        y,
        0,
    )


def loops(x):
    total = 0
    for i in range(
        3
    ):
        if i == 1:
            continue
        for j in (0, 1):
            total = total + i * j
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
    for q in range(3): n += q
    while n > 3: n -= 1
    return x * 2


def fails(x):
    for i in range(2):
        if i:
            raise ValueError(
                "of several lines"
            )
    return x


def raising(x):
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


def pieces(x):
    try:
        for i in range(2):
            got = yield x + i
            if got is not None:
                yield got
    finally:
        done = True
        assert done


def outer(x):
    yield x
    yield from pieces(x)
    count = yield 5
    assert count is None


def gens(x):
    values = [each for each in pieces(x)]
    ones = pieces(x)
    first = next(ones)
    second = ones.send(
        3
    )
    ones.close()
    thrown = pieces(x)
    next(thrown)
    try:
        thrown.throw(KeyError)
    except KeyError:
        pass
    left_open = pieces(x)
    next(left_open)
    total = sum(each for each in outer(x))
    sorted(values, key=lambda each: float(each))
    for each in outer(1):
        pass
    return left_open


def nested(x):
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


def rec(n):
    return 1 if n < 2 else (
        rec(n - 1)
        + 1)


def match(x):
    match (x,):
        case (1,) | (2,):
            factor = 1
        case (n,) if (
            n > 10
        ):
            factor = 3
        case (n,):
            factor = 2
    if (half := n // 2) and (
        half > 1
    ):
        factor *= 1
    elif half:
        factor = 0
    with contextlib.nullcontext() as a, \
            contextlib.nullcontext():
        factor += 1
    return (
        factor
        if factor > 1
        else 0)


def main():
    spans(1); loops(1)
    raising(1)
    g = gens(1)
    nested(2)
    rec(3)
    match(5)
