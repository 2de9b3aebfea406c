"""A program that calls torch in the many forms that the source of Python has."""

from __future__ import annotations

import functools
import operator

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it

from tests.recorder.hook_programs import Leaves, by_hand


def calls_of_many_forms() -> Leaves:
    x, y = by_hand().requires_grad_(), torch.full((2, 3), 2.0).requires_grad_()
    order, size, count, one, k = 2, 2, 6, 1, 3.0
    rows, columns, given, axis = 2, 3, torch.ones(2, 3), 1
    parts = [
        x.exp().norm(order),
        *x.exp().split(size, one),
        x.view(rows, columns).narrow(axis, one, size),
        x.reshape(count)[one:],
        torch.add(x, other=y),
        torch.addcmul(x, given, y, value=k),
        2 - x,
        k - x,
        k * x + y,
        x * k + k * y - k,
        -x / k,
        k / y,
        x**order,
        order**y,
        abs(x),
        x @ y.t(),
        torch.where(x > 0, x, y),
        torch.where(given > 0, k, x),
        functools.reduce(torch.mul, [x, y, given]),
        operator.mul(y, x),
        sum([x, y]),
        *map(torch.exp, (x, y)),
        *(row * k for row in x),
        *[a * b for a, b in zip(x, y, strict=True)],
        torch.cat((x, y), axis),
        torch.stack([x, given, y]),
        (lambda y, x: y * x + x)(x, y),
        F.dropout(x, training=False).clamp(max=k, min=-k),
        torch.max(x, axis)[0],
        x.max(axis).values,
        torch.einsum("ij,kj->ik", x, y),
        (x if order else y).sum(axis),
        (z := x * given) + z,
        x.T.contiguous(),
        x.unflatten(axis, (columns, one)),
        F.linear(given, weight=x, bias=None),
        torch.lerp(input=x, end=y, weight=0.5),
        F.softmax(x + y, axis).add(given, alpha=order),
        *torch.meshgrid(x[0], y[one], indexing="ij"),
        x.add(y).mul_(k).sub_(x),
        x[[0, one]].index_fill(axis, torch.tensor([one]), k),
        x.masked_fill(given > 0, k) + x.new_ones(2, 3) * x,
    ]
    total = torch.zeros(())
    for part in parts:
        total = total + part.sum()
    loss = 0
    loss += total
    loss = loss * one
    loss.backward()  # type: ignore[attr-defined]
    return {"x": x, "y": y}
