"""Trainings that run through and learn something else than meant; a line ends with ``# here``."""

from __future__ import annotations

SILENT_MISTAKES = {
    "nan_gradient: backward": """
w = torch.randn(64, 1).half().requires_grad_()
inputs = (torch.randn(512, 64) * 50).half()
optimizer = torch.optim.SGD([w], lr=1e-4)
for epoch in range(3):
    out = inputs @ w  # here
    optimizer.zero_grad()
    out.float().square().sum().backward()
    optimizer.step()
""",
    "nan_gradient: backward after a loss that is Inf": """
model = nn.Linear(64, 64).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    out = model(torch.randn(32, 64).half() * 20)  # here
    loss = out.square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "missing_gradient: before an update": """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a @ b

    @staticmethod
    def backward(ctx, g):
        return None, None  # here

w = torch.ones(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    Product.apply(x, w).sum().backward()
    optimizer.step()
""",
    "gradients_still_scaled": """
model = nn.Linear(4, 1).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x.half()).float(), y)
    (loss * 1024).backward()
    optimizer.step()  # here
""",
    "gradients_still_scaled: scaler": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    optimizer.step()  # here
""",
    "number_in_loss: item": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    penalty = 0.0
    for p in model.parameters():
        penalty += p.abs().sum().item()  # here
    loss = F.mse_loss(model(x), y) + 0.1 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "number_in_loss: float": """
body, head = nn.Linear(4, 3), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
for epoch in range(2):
    features = body(x)
    optimizer.zero_grad()
    loss = F.mse_loss(head(features), y)
    loss = loss + float(features.pow(2).mean())  # here
    loss.backward()
    optimizer.step()
""",
    "remade_in_loop: model": """
for epoch in range(3):
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))  # here
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "remade_in_loop: optimizer": """
model = nn.Linear(4, 1)
for epoch in range(3):
    for batch, wanted in zip(x.split(3), y.split(3)):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)  # here
        optimizer.zero_grad()
        F.mse_loss(model(batch), wanted).backward()
        optimizer.step()
""",
    "target_not_detached": """
policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters())
actions, rewards, done = torch.tensor([0, 1, 0, 1, 1, 0]), torch.ones(6), torch.zeros(6)
for step in range(2):
    q = policy(x).gather(1, actions[:, None]).squeeze(1)
    following = policy(x.flip(0)).max(1)[0]
    target = rewards + 0.99 * following * (1 - done)  # here
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "target_not_detached: critic": """
critic = nn.Linear(4, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
gamma = 0.9
for state, following, reward in zip(x[:-1], x[1:], y):
    delta = reward + gamma * critic(following) - critic(state)  # here
    loss = delta.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "requires_grad_late": """
model = nn.Linear(4, 1)
image = torch.randn(1, 4)
score = model(image).sum()
image.requires_grad_()  # here
score.backward()
print(image.grad)
""",
    "requires_grad_late: attribute": """
scale = torch.ones(4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), scale], lr=0.1)
loss = F.mse_loss(model(x * scale), y)
scale.requires_grad = True  # here
loss.backward()
optimizer.step()
""",
    "gradients_not_stored": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    loss = F.mse_loss(model(x), y)
    gradients = torch.autograd.grad(loss, model.parameters())  # here
    optimizer.step()
""",
    "gradients_not_stored: one": """
from torch.autograd import grad

w = torch.ones(4, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = (x @ w - y[:, 0]).square().mean()
    (step,) = grad(loss, w)  # here
    step.clamp_(-1, 1)
    optimizer.step()
""",
    "gradients_not_cleared: by hand": """
model, labels = nn.Linear(4, 3), torch.tensor([0, 1, 2, 0, 1, 2])
delta = torch.zeros_like(x, requires_grad=True)
for step in range(3):
    F.cross_entropy(model(x + delta), labels).backward()
    delta.data = (delta + 0.01 * delta.grad.sign()).clamp(-0.1, 0.1).detach()  # here
""",
    "gradients_cleared_early: order": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    optimizer.step()  # here
    loss.backward()
""",
    "gradients_cleared_early: two tasks": """
body, one, other = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
parameters = [*body.parameters(), *one.parameters(), *other.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
for epoch in range(2):
    h = body(x)
    optimizer.zero_grad()
    F.mse_loss(one(h), y).backward(retain_graph=True)
    optimizer.zero_grad()  # here
    F.mse_loss(other(h), -y).backward()
    optimizer.step()
""",
    "layer_replaced: another model": """
from copy import deepcopy

model = nn.Sequential(nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters())
net = deepcopy(model)  # here
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
""",
    "constant_loss_term: grad": """
model = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    t = torch.linspace(0, 1, 6).reshape(-1, 1).requires_grad_()
    u = model(t)
    u.sum().backward(retain_graph=True)  # here
    loss = (t.grad + u).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "no_effect: pairs of parameters": """
model, average = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    for p, mean in zip(model.parameters(), average.parameters()):
        mean = 0.01 * p + 0.99 * mean  # here
""",
    "losses_unused": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for batch, wanted in zip(x.split(2), y.split(2)):
        optimizer.zero_grad()
        loss = F.mse_loss(model(batch), wanted)
    loss.backward()  # here
    optimizer.step()
""",
    "losses_unused: list": """
model, losses = nn.Linear(4, 1), []
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch, wanted in zip(x.split(2), y.split(2)):
    losses.append(F.mse_loss(model(batch), wanted))
losses[-1].backward()  # here
optimizer.step()
""",
    "constant_loss_term: in a function": """
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def slope(x):
    score = model(x).sum()
    return torch.autograd.grad(score, x)[0].norm(dim=1).mean()  # here
for epoch in range(2):
    loss = F.mse_loss(model(x), y) + 10 * slope(x.clone().requires_grad_())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "constant_loss_term: second derivative": """
model = nn.Sequential(nn.Linear(1, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    t = torch.rand(6, 1, requires_grad=True)
    (du,) = torch.autograd.grad(model(t).sum(), t, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), t, retain_graph=True)  # here
    loss = (du - 0.5 * ddu).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "sample_without_gradient": """
from torch.distributions import Normal
encoder, decoder = nn.Linear(4, 2), nn.Linear(1, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for epoch in range(2):
    mean, spread = encoder(x).chunk(2, dim=1)
    z = Normal(mean, spread.exp()).sample()  # here
    loss = F.mse_loss(decoder(z), x) + (mean.pow(2) + spread.pow(2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "sample_without_gradient: normal": """
encoder, decoder = nn.Linear(4, 2), nn.Linear(1, 4)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for epoch in range(2):
    mean, spread = encoder(x).chunk(2, dim=1)
    z = torch.normal(mean, spread.exp())  # here
    optimizer.zero_grad()
    F.mse_loss(decoder(z), x).backward()
    optimizer.step()
""",
    "no_effect: hook": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def clip(grad):
    print(grad.norm())
    grad = torch.clamp(grad, -0.1, 0.1)  # here
for p in model.parameters():
    p.register_hook(clip)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "no_effect: hook of a module": """
model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
class Half:
    def scale(self, module, grad_input, grad_output):
        halves = tuple(0.5 * each for each in grad_input)  # here
model[1].register_full_backward_hook(Half().scale)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "checkpoint_without_gradient: block": """
first, last = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
def block(x):
    return first(x)
for epoch in range(2):
    h = checkpoint(last, x.clone().requires_grad_(), use_reentrant=True)
    loss = F.mse_loss(last(checkpoint(block, x, use_reentrant=True)), y) + h.mean()  # here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "parameter_cut_off: copied": """
import copy
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for task in range(2):
    learner = copy.deepcopy(model)  # here
    inner = torch.optim.SGD(learner.parameters(), lr=0.1)
    F.mse_loss(learner(x[:3]), y[:3]).backward()
    inner.step()
    inner.zero_grad()
    F.mse_loss(learner(x[3:]), y[3:]).backward()
    optimizer.step()
""",
    "gradients_not_cleared: of a discriminator": """
G, D = nn.Linear(4, 4), nn.Linear(4, 1)
of_g, of_d = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (G, D))
for step in range(3):
    of_g.zero_grad()
    of_d.zero_grad()
    fake = G(torch.randn(6, 4))
    loss = F.softplus(-D(x)).mean()
    loss = loss + F.softplus(D(fake)).mean()  # here
    loss.backward()
    of_d.step()
    F.softplus(-D(G(torch.randn(6, 4)))).mean().backward()
    of_g.step()
""",
    "constant_loss_term: detached": """
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    near = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(model(near).sum(), near, create_graph=True)
    norms = slope.data.norm(dim=1)  # here
    loss = F.mse_loss(model(x), y) + (norms - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "no_effect: hook before a module": """
model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1))
def normalize(module, grad_output):
    grad = grad_output[0]
    grad = grad / grad.norm()  # here
model[1].register_full_backward_pre_hook(normalize)
F.mse_loss(model(x), y).backward()
""",
    "evaluation_mode": """
model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
@torch.no_grad()
def evaluate(model):
    model.eval()  # here
    return F.mse_loss(model(x), y)
def train():
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
model.train()
for epoch in range(2):
    train()
    evaluate(model)
""",
}
