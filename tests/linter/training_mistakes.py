"""Programs with a mistake of training; each ends the line to change with ``# here``."""

from __future__ import annotations

MISTAKES = {
    "gradients_not_cleared": """
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    loss.backward()  # here
    optimizer.step()
""",
    "gradients_cleared_early": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    F.mse_loss(model(x), y).backward()
    optimizer.zero_grad(set_to_none=False)  # here
    optimizer.step()
""",
    "gradient_always_zero": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    sides = model(x).sign()  # here
    F.mse_loss(sides, y).backward()
    optimizer.step()
""",
    "gradient_always_zero: dead": """
first, last = nn.Linear(4, 3), nn.Linear(3, 1)
nn.init.constant_(first.bias, -100.0)
optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    h = F.relu(first(x))  # here
    F.mse_loss(last(h), y).backward()
    optimizer.step()
""",
    "gradient_always_zero: saturated": """
model = nn.Linear(4, 1)
nn.init.constant_(model.bias, 1000.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
p = torch.sigmoid(model(x))  # here
F.mse_loss(p, y).backward()
optimizer.step()
""",
    "gradient_always_zero: float16": """
model = nn.Linear(4, 1).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(x.half())
loss = (out * 1e-5).mul(1e-4).mean()  # here
loss.backward()
optimizer.step()
""",
    "nan_gradient: acos": """
cosine = torch.tensor([1.0, 0.5], requires_grad=True)
angle = cosine.acos()  # here
(angle * torch.tensor([0.0, 1.0])).sum().backward()
""",
    "nan_gradient: where": """
top, n = torch.ones(3, requires_grad=True), torch.tensor([0.0, 1.0, 2.0])
ratio = (top - 1) / n  # here
torch.where(n == 0, torch.zeros(3), ratio).sum().backward()
""",
    "nan_gradient: Inf times 0": """
model = nn.Linear(4, 1)
h = model(torch.zeros(6, 4))
centered = h - h.mean()
deviation = centered.pow(2).mean().sqrt()  # here
deviation.backward()
""",
    "nan_gradient: pow": """
w = torch.tensor([0.0, 1.0], requires_grad=True)
root = w**0.5  # here
(root * torch.tensor([0.0, 1.0])).sum().backward()
""",
    "nan_gradient: equal eigenvalues": """
a = torch.eye(3, requires_grad=True)
values, vectors = torch.linalg.eigh(a)  # here
(vectors[0] * torch.arange(3.0)).sum().backward()
""",
    "nan_gradient: equal singular values": """
a = torch.eye(3, requires_grad=True)
left, values, right = torch.linalg.svd(a)  # here
(left[0] * torch.arange(3.0)).sum().backward()
""",
    "nan_in_forward: data": """
x[2, 1] = float("nan")
model = nn.Linear(4, 1)
out = model(x)  # here
F.mse_loss(out, y).backward()
""",
    "nan_in_forward: masked row": """
model = nn.Linear(4, 4)
mask = torch.ones(6, 6).triu().bool()
weights = (model(x) @ x.T).masked_fill(mask, float("-inf")).softmax(1)  # here
(weights @ x).sum().backward()
""",
    "nan_in_forward: masked row by a sum": """
model, mask = nn.Linear(4, 4), torch.full((6, 6), float("-inf")).triu()
scores = model(x) @ x.T + mask
weights = scores.softmax(1)  # here
(weights @ x).sum().backward()
""",
    "nan_in_forward: float16": """
model = nn.Linear(4, 1).half()
energy = (model(x.half()) * 1000).pow(2)  # here
(energy / energy.sum()).mean().backward()
""",
    "nan_in_forward: Inf times 0": """
w = torch.tensor([1.0, 200.0], requires_grad=True)
large = w.exp()  # here
(large * torch.tensor([1.0, 0.0])).sum().backward()
""",
    "layer_not_registered": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = {"a": nn.Linear(4, 4)}  # here
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.blocks["a"](x))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "layer_replaced": """
model = nn.Sequential()
model.body, model.head = nn.Linear(4, 4), nn.Linear(4, 7)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.head = nn.Linear(4, 1)  # here
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "layer_not_registered: in forward": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv1d(1, 2, 1)

    def forward(self, x):
        h = self.body(x[:, None]).flatten(1)
        return nn.Linear(8, 1)(h)  # here


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "layer_replaced: the whole model": """
import copy

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model = copy.deepcopy(model)  # here
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "layer_replaced: a parameter": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.weight = nn.Parameter(torch.zeros(1, 4))  # here
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "parameter_cut_off": """
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
features = body(x).detach()  # here
F.mse_loss(head(features), y).backward()
optimizer.step()
""",
    "parameter_cut_off: compared": """
limit, weight = nn.Parameter(torch.tensor(0.1)), nn.Parameter(torch.ones(6, 4))
optimizer = torch.optim.SGD([limit, weight], lr=0.1)
mask = (x > limit).float()  # here
(mask * weight).sum().backward()
optimizer.step()
""",
    "parameter_cut_off: argmax": """
gate, heads = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*gate.parameters(), *heads.parameters()], lr=0.1)
chosen = F.one_hot(gate(x).argmax(1), 2)  # here
(chosen * heads(x)).sum().backward()
optimizer.step()
""",
    "parameter_cut_off: no_grad": """
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
with torch.no_grad():
    features = body(x)  # here
F.mse_loss(head(features), y).backward()
optimizer.step()
""",
    "parameter_cut_off: item": """
model, other = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *other.parameters()], lr=0.1)
penalty = 0.1 * other(x).pow(2).mean().item()  # here
loss = F.mse_loss(model(x), y) + penalty
loss.backward()
optimizer.step()
""",
    "gradient_not_kept: moved": """
w = torch.randn(4, 1, requires_grad=True).double()  # here
(x.double() @ w).sum().backward()
assert w.grad is None
""",
    "gradient_not_kept: updated by a new tensor": """
w = torch.zeros(4, 1, requires_grad=True)
for epoch in range(2):
    F.mse_loss(x @ w, y).backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad  # here
""",
    "constant_loss_term": """
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x.requires_grad_()
score = net(x)
(slope,) = torch.autograd.grad(score.sum(), x, retain_graph=True)  # here
penalty = (slope.norm(dim=1) - 1).pow(2).mean()
loss = F.mse_loss(score, y) + 10 * penalty
loss.backward()
""",
    "scaled_gradients_clipped": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
scaler.scale(F.mse_loss(model(x), y)).backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # here
scaler.step(optimizer)
""",
    "shared_gradient_changed": """
a, b = nn.Linear(4, 1), nn.Linear(4, 1)


def clip(gradient):  # here
    gradient.clamp_(-0.1, 0.1)


p, q = a(x), b(x)
q.register_hook(clip)
((p + q) * y).sum().backward()
""",
    "generator_used_up": """
model = nn.Linear(4, 1)
params = model.parameters()  # here
optimizer = torch.optim.SGD(params, lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
""",
    "hooks_skipped": """
model = nn.Linear(4, 1)
model.register_forward_hook(lambda module, given, made: None)
loss = F.mse_loss(model.forward(x), y)  # here
loss.backward()
""",
    "gradient_always_zero: weights": """
first, last = nn.Linear(4, 3, bias=False), nn.Linear(3, 1, bias=False)
nn.init.zeros_(first.weight)
nn.init.zeros_(last.weight)
optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    out = last(first(x).tanh())  # here
    F.mse_loss(out, y).backward()
    optimizer.step()
""",
    "probabilities_as_logits": """
model = nn.Linear(4, 3)
p = model(x).softmax(1)  # here
F.cross_entropy(p, torch.tensor([0, 1, 2, 0, 1, 2])).backward()
""",
    "loss_broadcasts": """
model = nn.Linear(4, 1)
difference = model(x) - y[:, 0]  # here
difference.pow(2).mean().backward()
""",
    "graph_kept": """
model, total = nn.Linear(4, 1), 0
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    total += loss  # here
""",
    "checkpoint_without_gradient": """
import warnings

warnings.showwarning = lambda message, *rest: print(message)
first, last = nn.Linear(4, 4), nn.Linear(4, 1)
h = checkpoint(first, x, use_reentrant=True)  # here
F.mse_loss(last(h), y).backward()
""",
    "graph_kept: in a list": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss)  # here
print(sum(losses) / len(losses))
""",
    "graph_kept: of validation": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()


class Log:
    losses = []


for batch, wanted in zip(x.split(2), y.split(2)):
    loss = F.mse_loss(model(batch), wanted)
    Log.losses.append(loss)  # here
""",
    "scheduler_first": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(2):
    scheduler.step()  # here
    for batch, wanted in zip(x.split(3), y.split(3)):
        optimizer.zero_grad()
        F.mse_loss(model(batch), wanted).backward()
        optimizer.step()
""",
    "scheduler_first: epochs": """
from torch.optim.lr_scheduler import ExponentialLR

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = ExponentialLR(optimizer, 0.5)


def train():
    for batch, wanted in zip(x.split(3), y.split(3)):
        optimizer.zero_grad()
        F.mse_loss(model(batch), wanted).backward()
        optimizer.step()


for epoch in range(2):
    scheduler.step()  # here
    train()
""",
    "shared_gradient_changed: expanded": """
hidden = nn.Linear(4, 3)(x[0])


def mask(gradient):  # here
    gradient[0] = 0


hidden.register_hook(mask)
hidden.sum().backward()
""",
    "no_effect: backward not called": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward  # here
    optimizer.step()
""",
    "no_effect: step not called": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step  # here
""",
    "no_effect: misspelled": """
model = nn.Linear(4, 1)
for p in model.parameters():
    p.require_grad = False  # here
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "no_effect: module not frozen": """
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
model[0].requires_grad = False  # here
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "no_effect: rebound": """
model = nn.Linear(4, 1)
for epoch in range(2):
    model.zero_grad()
    F.mse_loss(model(x), y).backward()
    with torch.no_grad():
        for p in model.parameters():
            p = p - 0.1 * p.grad  # here
""",
    "no_effect: clipped late": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
decay = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)  # here
    decay.step()
# says: zero_grad clears them before the next step
""",
    "no_effect: clipped too soon": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # here
    loss.backward()
    optimizer.step()
""",
    "probabilities_as_logits: without logarithm": """
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    chances = model(x).softmax(1)  # here
    F.nll_loss(chances, torch.tensor([0, 1, 2, 0, 1, 2])).backward()
    optimizer.step()
""",
    "no_effect: never stepped": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # here
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
""",
    "no_effect: parts not frozen": """
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
for part in model.children():
    part.requires_grad = False  # here
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
}
