"""Correct programs that look like those with mistakes of training."""

from __future__ import annotations

CORRECT = {
    "accumulation over batches": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in range(4):
    F.mse_loss(model(x), y).backward()
    if batch % 2:
        optimizer.step()
        optimizer.zero_grad()
""",
    "zeros instead of None": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad(set_to_none=False)
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "GAN": """
G, D = nn.Linear(2, 4), nn.Linear(4, 1)
optimizer_g = torch.optim.Adam(G.parameters())
optimizer_d = torch.optim.Adam(D.parameters())
for step in range(3):
    fake = G(torch.randn(6, 2))
    optimizer_d.zero_grad()
    (D(fake.detach()).mean() - D(x).mean()).backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    (-D(fake).mean()).backward()
    optimizer_g.step()
""",
    "frozen by requires_grad, in the optimizer": """
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
model[0].requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "frozen by the choice of parameters": """
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "frozen features under no_grad": """
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
with torch.no_grad():
    features = body(x)
F.mse_loss(head(features), y).backward()
optimizer.step()
""",
    "zeros replaced before dividing": """
top, n = torch.ones(3, requires_grad=True), torch.tensor([0.0, 1.0, 2.0])
ratio = top / torch.where(n == 0, torch.ones(3), n)
torch.where(n == 0, torch.zeros(3), ratio).sum().backward()
""",
    "root of a small number": """
w = torch.zeros(3, requires_grad=True)
(w.pow(2).sum() + 1e-8).sqrt().backward()
""",
    "different eigenvalues": """
a = torch.diag(torch.tensor([1.0, 2.0, 3.0])).requires_grad_()
values, vectors = torch.linalg.eigh(a)
(vectors[0] * values).sum().backward()
torch.linalg.eigvalsh(torch.eye(3, requires_grad=True)).sum().backward()
""",
    "NaN in the data is masked": """
y[2] = float("nan")
model = nn.Linear(4, 1)
F.mse_loss(model(x)[~y.isnan()], y[~y.isnan()]).backward()
""",
    "EMA copy": """
model, average = nn.Linear(4, 1), nn.Linear(4, 1)
average.load_state_dict(model.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        for mean, each in zip(average.parameters(), model.parameters()):
            mean.mul_(0.9).add_(each, alpha=0.1)
""",
    "causal mask": """
q, k = nn.Linear(4, 4), nn.Linear(4, 4)
optimizer = torch.optim.SGD([*q.parameters(), *k.parameters()], lr=0.1)
mask = torch.full((6, 6), float("-inf")).triu(1)
weights = (q(x) @ k(x).T + mask).softmax(1)
F.mse_loss(weights @ x, torch.ones(6, 4)).backward()
optimizer.step()
""",
    "LoRA begins at zero": """
down, up, base = nn.Linear(4, 2, bias=False), nn.Linear(2, 1, bias=False), nn.Linear(4, 1)
nn.init.zeros_(up.weight)
base.requires_grad_(False)
optimizer = torch.optim.SGD([*down.parameters(), *up.parameters()], lr=0.1)
F.mse_loss(base(x) + up(down(x)), y).backward()
optimizer.step()
""",
    "straight-through": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(x)
F.mse_loss(out + (out.round() - out).detach(), y).backward()
optimizer.step()
""",
    "some dead units, a hinge loss that is done": """
model = nn.Linear(4, 1)
nn.init.constant_(model.bias, 50.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.relu(1 - model(x)).mean().backward()
optimizer.step()
""",
    "clipped after unscaling": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for epoch in range(2):
    optimizer.zero_grad()
    scaler.scale(F.mse_loss(model(x), y)).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
""",
    "gradient penalty": """
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x.requires_grad_()
score = net(x)
(slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
(F.mse_loss(score, y) + 10 * (slope.norm(dim=1) - 1).pow(2).mean()).backward()
""",
    "attack along the gradient": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x.requires_grad_()
(slope,) = torch.autograd.grad(F.mse_loss(model(x), y), x)
attacked = (x + 0.1 * slope.sign()).detach()
loss = F.mse_loss(model(attacked), y) + F.mse_loss(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
""",
    "hooks that clip": """
a, b = nn.Linear(4, 1), nn.Linear(4, 1)
p, q = a(x), b(x)
q.register_hook(lambda gradient: gradient.clamp(-0.1, 0.1))
p.relu().register_hook(lambda gradient: gradient.mul_(2))
a.weight.register_hook(lambda gradient: gradient.clamp_(-0.1, 0.1))
((p + q) * y).sum().backward()
""",
    "a list of parameters, and generators that are used once": """
model = nn.Linear(4, 1)
params = list(model.parameters())
given = model.parameters()
optimizer = torch.optim.SGD(given, lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
""",
    "one of two optimizers": """
def optimizer_of(model, adam):
    given = model.parameters()
    if adam:
        return torch.optim.Adam(given)
    return torch.optim.SGD(given, lr=0.1)


model = nn.Linear(4, 1)
optimizer = optimizer_of(model, False)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "forward after the hook is removed": """
model = nn.Linear(4, 1)
handle = model.register_forward_hook(lambda module, given, made: None)
model(x)
handle.remove()
F.mse_loss(model.forward(x), y).backward()
""",
    "last layer begins at zero": """
first, last = nn.Linear(4, 3, bias=False), nn.Linear(3, 1, bias=False)
nn.init.zeros_(last.weight)
optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
F.mse_loss(last(first(x).tanh()), y).backward()
optimizer.step()
""",
    "probabilities for the eye": """
model = nn.Linear(4, 3)
logits = model(x)
print(logits.softmax(1).argmax(1))
F.cross_entropy(logits, torch.tensor([0, 1, 2, 0, 1, 2])).backward()
""",
    "log of softmax": """
model = nn.Linear(4, 3)
F.nll_loss(model(x).softmax(1).log(), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
""",
    "all pairs": """
points = nn.Linear(4, 1)(x)
(points - points[:, 0]).pow(2).mean().backward(retain_graph=True)
(points - y[:1, 0]).pow(2).mean().backward()
""",
    "sum of losses": """
cell, total = nn.GRUCell(4, 4), 0
h = torch.zeros(6, 4)
for step in range(3):
    h = cell(x, h)
    total = total + h.pow(2).mean()
total.backward()
""",
    "logged losses": """
model, total = nn.Linear(4, 1), 0
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    total += loss.detach()
""",
    "checkpoint": """
first, last = nn.Linear(4, 4), nn.Linear(4, 1)
h = checkpoint(first, x, use_reentrant=False)
F.mse_loss(last(h), y).backward()
""",
    "layers in a ModuleList": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 1)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = Net()
model.layers[1] = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "a model and an optimizer for each phase": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
""",
    "an extractor that is not trained, of the shape of a head that is not used": """
body, used, spare = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
optimizer = torch.optim.SGD([*used.parameters(), *spare.parameters()], lr=0.1)
h = body(x)
F.mse_loss(used(h), torch.ones(6, 4)).backward()
optimizer.step()
""",
    "a head that is used later": """
body, one, two = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *one.parameters(), *two.parameters()], lr=0.1)
for head in (one, two):
    optimizer.zero_grad()
    F.mse_loss(head(body(x)), y).backward()
    optimizer.step()
print(two.weight.detach())
""",
    "a head that is only evaluated": """
body, one, two = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *one.parameters(), *two.parameters()], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    h = body(x)
    F.mse_loss(one(h), y).backward()
    optimizer.step()
    with torch.no_grad():
        print(two(h).mean().item(), two.weight.norm())
""",
    "a codebook that is a moving average": """
encoder, book = nn.Linear(4, 4), nn.Parameter(torch.randn(3, 4))
optimizer = torch.optim.SGD([*encoder.parameters(), book], lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    z = encoder(x)
    nearest = book.detach()[torch.cdist(z, book).argmin(1)]
    F.mse_loss(z, nearest).backward()
    optimizer.step()
    with torch.no_grad():
        book.mul_(0.9).add_(z.mean(0), alpha=0.1)
""",
    "the gradient of a result, asked for": """
w = torch.randn(4, 1, requires_grad=True)
h = x @ w
assert h.grad is None
h.retain_grad()
h.sum().backward()
assert h.grad is not None
""",
    "leaves that are computed": """
w = torch.zeros(4, 1, requires_grad=True)
for epoch in range(2):
    F.mse_loss(x @ w, y).backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_()
""",
    "gradients by hand": """
w = torch.randn(4, 1, requires_grad=True)
for epoch in range(3):
    F.mse_loss(x @ w, y).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
""",
    "closure": """
model = nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)


def closure():
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss


for epoch in range(2):
    optimizer.step(closure)
""",
    "actor and critic": """
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
for epoch in range(2):
    advantage = (y - critic(x)).detach()
    chosen = actor(x).log_softmax(1)[:, :1]
    loss = -(chosen * advantage).mean() + F.mse_loss(critic(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
}
