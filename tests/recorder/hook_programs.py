"""Programs that people write; each returns its leaves by the names that a reader expects."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn
from torch.autograd import Function
from torch.utils.checkpoint import checkpoint

Leaves = dict[str, torch.Tensor]
PROGRAMS: list[Callable[[], Leaves]] = []


def program(code: Callable[[], Leaves]) -> Callable[[], Leaves]:
    PROGRAMS.append(code)
    return code


def named(model: nn.Module, prefix: str = "", own: str = "") -> Leaves:
    """Parameters by their paths, after ``prefix``, or after ``own`` for those of no part."""
    parameters = model.named_parameters()
    return {f"{prefix if '.' in path else own or prefix}{path}": each for path, each in parameters}


def by_hand() -> torch.Tensor:
    return torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]])


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * grad * x**2


class Scaled(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float, shift: torch.Tensor) -> Any:
        ctx.factor = factor
        return x * factor + shift, x.detach() > 0

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _mask: Any) -> Any:
        return grad * ctx.factor, None, grad.sum(0, keepdim=True)


class Gain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.full((3,), 2.0))
        self.head = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(torch.tanh(x * self.gain))
        return result


@program
def training_loop() -> Leaves:
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(by_hand()), torch.ones(2, 1)).backward()
        optimizer.step()
    return named(model)


@program
def gradients_are_kept_as_zeros() -> Leaves:
    w, b = torch.ones(3, requires_grad=True), torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.5, momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        (by_hand() @ w + b).square().mean().backward()
        optimizer.step()
    return {"w": w, "b": b}


@program
def gan() -> Leaves:
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    of_generator = torch.optim.Adam(generator.parameters(), lr=0.01)
    of_critic = torch.optim.Adam(critic.parameters(), lr=0.02)
    for _ in range(2):
        fake = generator(torch.ones(2, 2))
        of_critic.zero_grad()
        (critic(fake.detach()).mean() - critic(by_hand()).mean()).backward()
        of_critic.step()
        of_generator.zero_grad()
        (-critic(fake).mean()).backward()
        of_generator.step()
    return named(critic, "critic.") | named(generator, "generator.")


@program
def accumulated_batches() -> Leaves:
    model = Gain()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for step in range(4):
        (model(by_hand() * step).sum() / 2).backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
    return named(model, own="model.")


@program
def checkpointed() -> Leaves:
    model = Gain()
    for reentrant in (False, True):
        x = by_hand().requires_grad_()
        checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    return named(model)


@program
def gradient_penalty() -> Leaves:
    critic = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
    x = by_hand().requires_grad_()
    (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    (critic(x).mean() + (slope.norm(dim=1) - 1).square().mean()).backward()
    return named(critic) | {"x": x}


@program
def second_derivative() -> Leaves:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    first.sum().backward()
    return {"x": x}


@program
def create_graph_into_grad() -> Leaves:
    w = torch.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a reference cycle, which ends below
        (w**3).backward(create_graph=True)
    assert w.grad is not None
    penalty = w.grad * 2
    w.grad = None
    penalty.backward()
    return {"w": w}


@program
def views() -> Leaves:
    base = torch.arange(6.0).requires_grad_()
    rows = base.view(2, 3)
    first, second = rows.unbind(0)
    (first * second[1:].sum() + rows.t()[0, 1] + base[::2].expand(2, 3).sum()).sum().backward()
    return {"base": base}


@program
def changed_in_place() -> Leaves:
    x, bias = by_hand().requires_grad_(), torch.ones(3, requires_grad=True)
    y = x * 2
    y += bias
    y[0] = y[1] * 3
    y[:, 1].mul_(4)
    F.relu(y, inplace=True).sum().backward()
    return {"x": x, "bias": bias}


@program
def weights_changed_by_hand() -> Leaves:
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        loss = (by_hand() @ w).square().sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
            w.grad.zero_()  # type: ignore[union-attr]
    return {"w": w}


@program
def tensor_hooks() -> Leaves:
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda grad: grad.clamp(max=1.0))
    y = x * torch.arange(3.0)
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    (y * 3).sum().backward()
    return {"x": x}


@program
def node_and_module_hooks() -> Leaves:
    model = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())
    model[1].register_full_backward_hook(lambda _, given, got: (given[0] * 2,))
    out = model(by_hand())
    out.grad_fn.register_prehook(lambda grads: (grads[0] + 1,))
    out.sum().backward()
    return named(model)


@program
def step_in_backward() -> Leaves:
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def update(leaf: torch.Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()

    w.register_post_accumulate_grad_hook(update)
    for _ in range(2):
        (by_hand() @ w).sum().backward()
    return {"w": w}


@program
def autocast() -> Leaves:
    model = Gain()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(by_hand()).float().square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return named(model, own="model.")


@program
def custom_function() -> Leaves:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x)
    torch.autograd.grad(y.sum(), x, create_graph=True)[0].sum().backward()
    Cube.apply(Cube.apply(x)).sum().backward()
    return {"x": x}


@program
def custom_function_with_two_outputs() -> Leaves:
    x, shift = by_hand().requires_grad_(), torch.ones(1, 3, requires_grad=True)
    y, mask = Scaled.apply(x, 3.0, shift)
    (y * mask).sum().backward()
    return {"x": x, "shift": shift}


@program
def frozen_and_unused() -> Leaves:
    encoder, head, spare = nn.Linear(3, 2), nn.Linear(2, 1), nn.Linear(2, 1)
    encoder.requires_grad_(False)
    modules = nn.ModuleList([encoder, head, spare])
    optimizer = torch.optim.SGD(modules.parameters(), lr=0.1)
    head(encoder(by_hand())).sum().backward()
    optimizer.step()
    return named(head, "1.")


@program
def shared_weight() -> Leaves:
    embedding = nn.Embedding(4, 3)
    out = nn.Linear(3, 4, bias=False)
    out.weight = embedding.weight
    scores = out(embedding(torch.tensor([0, 2])))
    F.cross_entropy(scores, torch.tensor([1, 3])).backward()
    return {"embedding.weight": embedding.weight}


@program
def recurrent() -> Leaves:
    w, u, h = torch.eye(3).requires_grad_(), torch.eye(3).requires_grad_(), torch.zeros(3)
    for row in by_hand():
        h = torch.tanh(row @ w + h @ u)
    h.sum().backward()
    cell = nn.GRUCell(3, 3)
    state = torch.zeros(2, 3)
    for _ in range(2):
        state = cell(by_hand(), state)
    state.square().sum().backward()
    return {"w": w, "u": u} | named(cell, "cell.")


@program
def losses_with_one_trunk() -> Leaves:
    trunk = nn.Linear(3, 2)
    features = trunk(by_hand())
    features.sum().backward(retain_graph=True)
    features.square().sum().backward(inputs=[trunk.weight], retain_graph=True)
    torch.autograd.backward([features[0, 0], features[1, 1]], retain_graph=True)
    return named(trunk, own="trunk.")


@program
def vector_jacobian_products() -> Leaves:
    x, k = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), 2.0
    y = x * k + 1
    for row in torch.eye(3):
        torch.autograd.grad(y, x, row, retain_graph=True)
    y.backward(torch.tensor([0.0, 1.0, -1.0]))
    unused = torch.ones(1, requires_grad=True)
    torch.autograd.grad((x * 2).sum(), (x, unused), allow_unused=True)
    return {"x": x}


@program
def convolution_with_norm() -> Leaves:
    model = nn.Sequential(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten())
    images = torch.arange(18.0).view(2, 1, 3, 3)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    model(images).square().mean().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    return named(model)


@program
def attention() -> Leaves:
    x = by_hand().requires_grad_()
    mask = torch.tensor([[False, True], [False, False]])
    weights = (x @ x.t() / 3**0.5).masked_fill(mask, float("-inf")).softmax(-1)
    (weights @ x).sum(0)[1].backward()
    return {"x": x}


@program
def nan_and_zero() -> Leaves:
    x, y = torch.zeros(2, requires_grad=True), torch.tensor(4.0, requires_grad=True)
    (torch.where(x > 0, x.sqrt(), x).sum() + y.round() + y.detach() * 2).backward()
    return {"x": x, "y": y}


@program
def two_of_one_name() -> Leaves:
    def part(power: int) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.tensor(3.0, requires_grad=True)
        return x, x**power

    (first, one), (second, other) = part(2), part(3)
    (one * other).backward()
    return {"x": first, "x#2": second}


@program
def sparse_embedding() -> Leaves:
    table = nn.Embedding(4, 2, sparse=True)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    for rows in ([0, 1], [1, 1]):
        table(torch.tensor(rows)).sum().backward()
    optimizer.step()
    return {"table.weight": table.weight}


@program
def closure_of_an_optimizer() -> Leaves:
    w = torch.tensor([1.0, -1.0, 0.5], requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (by_hand() @ w - 1).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {"w": w}


@program
def groups_and_schedule() -> Leaves:
    body, head = nn.Linear(3, 2), nn.Linear(2, 1)
    groups = [{"params": body.parameters(), "lr": 0.01}, {"params": head.parameters()}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        head(torch.tanh(body(by_hand()))).sum().backward()
        optimizer.step()
        schedule.step()
    return named(body, "body.") | named(head, "head.")


@program
def scaled_loss() -> Leaves:
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    for factor in (1.0, float("inf")):
        optimizer.zero_grad()
        scaler.scale((by_hand() @ w).sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
    return {"w": w}


@program
def undefined_gradients() -> Leaves:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    first, _second = torch.stack([x, y]).unbind(0)
    low, _high = torch.linalg.qr(torch.diag(x) + 1)
    (first * low[0]).sum().backward()
    return {"x": x, "y": y}


@program
def parametrized_layer() -> Leaves:
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    for _ in range(2):
        layer(by_hand()).square().sum().backward()
    return named(layer, own="layer.")


@program
def long_short_term_memory() -> Leaves:
    model = nn.LSTM(3, 2, batch_first=True)
    out, (_hidden, cell) = model(by_hand()[None])
    (out.sum() + cell.square().sum()).backward()
    return named(model, "model.")


@program
def saved_tensors_hooks() -> Leaves:
    x = by_hand().requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
        y = (x.detach().exp() * x).sigmoid()
    y.sum().backward()
    return {"x": x}


@program
def moving_average_of_weights() -> Leaves:
    model, average = nn.Linear(3, 1), nn.Linear(3, 1)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for _ in range(2):
        target = average(by_hand()).detach()
        (model(by_hand()) - target).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        for own, other in zip(average.parameters(), model.parameters(), strict=True):
            own.data.lerp_(other.data, 0.5)
    return named(model, "model.")


@program
def backward_inside_of_backward() -> Leaves:
    class Implicit(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                inner = x.detach().requires_grad_()
                (result,) = torch.autograd.grad(inner.exp(), inner, grad)
            return result

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    Implicit.apply(x).sum().backward()
    return {"x": x}
