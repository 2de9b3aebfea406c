"""Correct trainings that look like `SILENT_MISTAKES`."""

from __future__ import annotations

LOOK_ALIKES = {
    "a loss scaled and gradients divided": """
model = nn.Linear(4, 1).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x.half()).float(), y)
    (loss * 1024).backward()
    for p in model.parameters():
        p.grad.div_(1024)
    optimizer.step()
for epoch in range(2):
    optimizer.zero_grad()
    (1024 * F.mse_loss(model(x.half()).float(), y)).backward()
    for p in model.parameters():
        p.grad = p.grad / 1024
    optimizer.step()
""",
    "a scaler that unscales": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
off = torch.amp.GradScaler("cpu", enabled=False)
for epoch in range(2):
    optimizer.zero_grad()
    scaler.scale(F.mse_loss(model(x), y)).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
for epoch in range(2):
    optimizer.zero_grad()
    off.scale(F.mse_loss(model(x), y)).backward()
    optimizer.step()
""",
    "a loss with a weight": """
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y) * 1000
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    (F.mse_loss(model(x), y) * 256 * len(x)).backward()
    optimizer.step()
""",
    "numbers that are logged": """
model, total = nn.Linear(4, 1), 0.0
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    data = F.mse_loss(model(x), y)
    penalty = sum(p.abs().sum() for p in model.parameters())
    loss = data + 0.1 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item() + data.item() + float(penalty)
""",
    "a number as a weight": """
body, head = nn.Linear(4, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for epoch in range(2):
    features = body(x)
    first, second = F.mse_loss(head(features), y), features.pow(2).mean()
    weight = first.item() / (second.item() + 1e-4)
    optimizer.zero_grad()
    (first + weight * second).backward()
    optimizer.step()
""",
    "a number as a base line": """
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*policy.parameters(), *value.parameters()], lr=0.1)
for state, reward in zip(x, y):
    guess = value(state)
    advantage = reward.item() - guess.item()
    chosen = policy(state).log_softmax(0)[0]
    ratio = (chosen - chosen.item()).exp()
    loss = -(ratio * advantage) + (reward - guess).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "a model per fold": """
for fold in range(3):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(2):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
""",
    "a step for each learning rate": """
best = None
for lr in (0.1, 0.01, 0.001):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    print(F.mse_loss(model(x), y).item())
""",
    "models that are kept": """
from copy import deepcopy

ensemble, start = [], nn.Linear(4, 1)
for member in range(3):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    ensemble.append(model)
for client in range(3):
    local = deepcopy(start)
    optimizer = torch.optim.SGD(local.parameters(), lr=0.1)
    F.mse_loss(local(x), y).backward()
    optimizer.step()
    start.weight.data.copy_(local.weight.data)
""",
    "a target without a history": """
policy, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
actions, rewards, gamma = torch.tensor([0, 1, 0, 1, 1, 0]), torch.ones(6), 0.99
for step in range(2):
    q = policy(x).gather(1, actions[:, None]).squeeze(1)
    with torch.no_grad():
        first = rewards + gamma * target_net(x.flip(0)).max(1)[0]
    second = rewards + gamma * policy(x.flip(0)).max(1)[0].detach()
    third = (rewards + gamma * policy(x.flip(0)).amax(1)).detach()
    loss = F.smooth_l1_loss(q, first) + F.mse_loss(q, second) + (q - third).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "a target network that no optimizer has": """
policy, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
rewards, gamma = torch.ones(6), 0.99
for step in range(2):
    target = rewards + gamma * target_net(x.flip(0)).max(1)[0]
    loss = F.mse_loss(policy(x)[:, 0], target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target_net.load_state_dict(policy.state_dict())
""",
    "two views that learn from each other": """
encoder, gamma = nn.Linear(4, 3), 0.5
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
for step in range(2):
    one, other = encoder(x), encoder(x + 0.1 * torch.randn_like(x))
    same = F.mse_loss(one, other)
    spread = F.relu(1 - one.std(0)).mean()
    loss = same + gamma * spread + F.mse_loss(one, x[:, :3] + 0.1 * other)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "layers that are frozen for a while": """
body, head = nn.Linear(4, 3), nn.Linear(3, 1)
body.requires_grad_(False)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for epoch in range(4):
    if epoch == 2:
        body.requires_grad_(True)
    optimizer.zero_grad()
    F.mse_loss(head(body(x)), y).backward()
    optimizer.step()
""",
    "a critic that is frozen for a while": """
maker, critic = nn.Linear(4, 4), nn.Linear(4, 1)
makers = torch.optim.Adam(maker.parameters())
critics = torch.optim.Adam(critic.parameters())
for step in range(2):
    made = maker(x)
    critic.requires_grad_(False)
    loss = -critic(made).mean()
    critic.requires_grad_(True)
    makers.zero_grad()
    loss.backward()
    makers.step()
    critics.zero_grad()
    (critic(made.detach()) - critic(x)).mean().backward()
    critics.step()
""",
    "an input that needs a gradient later": """
model = nn.Linear(4, 1)
plain = model(x).sum()
noise = torch.zeros(4)
shifted = model(x + noise).sum()
plain.backward()
x.requires_grad_()
model(x).sum().backward()
noise.requires_grad = True
torch.autograd.grad(model(x + noise).sum(), noise)
""",
    "gradients that are assigned": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    gradients = torch.autograd.grad(F.mse_loss(model(x), y), model.parameters())
    for p, gradient in zip(model.parameters(), gradients):
        p.grad = gradient
    optimizer.step()
""",
    "an inner step of meta-learning": """
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for task in range(2):
    optimizer.zero_grad()
    inner = F.mse_loss(model(x), y)
    gradients = torch.autograd.grad(inner, model.parameters(), create_graph=True)
    fast = [p - 0.1 * g for p, g in zip(model.parameters(), gradients)]
    F.mse_loss(F.linear(x, *fast), y).backward()
    optimizer.step()
""",
    "an update by hand": """
model, other = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam(other.parameters())
for epoch in range(2):
    gradients = torch.autograd.grad(F.mse_loss(model(x), y), model.parameters())
    with torch.no_grad():
        for p, gradient in zip(model.parameters(), gradients):
            p -= 0.1 * gradient
    optimizer.zero_grad()
    F.mse_loss(other(x), model(x).detach()).backward()
    optimizer.step()
""",
    "gradients that are cleared by hand": """
model = nn.Linear(4, 1)
w, v = torch.zeros(4, 1, requires_grad=True), torch.zeros(4, 1, requires_grad=True)
for epoch in range(3):
    for batch, wanted in zip(x.split(3), y.split(3)):
        F.mse_loss(batch @ w + batch @ v, wanted).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        v -= 0.1 * v.grad
        v.grad *= 0.9
    w.grad = None
delta = torch.zeros_like(x, requires_grad=True)
for step in range(3):
    F.mse_loss(model(x + delta), y).backward()
    delta = (delta + 0.01 * delta.grad.sign()).detach().requires_grad_()
""",
    "gradients of a pass that are only read": """
body, one, other = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
parameters = [*body.parameters(), *one.parameters(), *other.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
for epoch in range(2):
    h = body(x)
    optimizer.zero_grad()
    F.mse_loss(one(h), y).backward(retain_graph=True)
    first = [p.grad for p in parameters]
    optimizer.zero_grad()
    F.mse_loss(other(h), -y).backward()
    for p, gradient in zip(parameters, first):
        p.grad = gradient if p.grad is None else p.grad + (0 if gradient is None else gradient)
    optimizer.step()
""",
    "a layer whose gradient is left out at first": """
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    F.mse_loss(head(body(x)), y).backward()
    for p in head.parameters():
        p.grad = None
    optimizer.step()
""",
    "a gradient that comes from elsewhere": """
client, server = nn.Linear(4, 3), nn.Linear(3, 1)
for epoch in range(2):
    features = client(x)
    sent = features.detach().requires_grad_()
    F.mse_loss(server(sent), y).backward()
    (features * sent.grad).sum().backward()
w = torch.ones(4, requires_grad=True)
F.mse_loss(x @ w, y[:, 0]).backward()
fast = w - w.grad
F.mse_loss(x @ fast, y[:, 0]).backward()
""",
    "pairs of parameters": """
model, average = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    loss = F.mse_loss(model(x), y)
    for p, mean in zip(model.parameters(), average.parameters()):
        mean = 0.5 * mean
        loss = loss + (p - mean.detach()).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, mean in zip(model.parameters(), average.parameters()):
            mean.lerp_(p, 0.01)
""",
    "losses added up before one pass": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = 0
    for batch, wanted in zip(x.split(2), y.split(2)):
        loss += F.mse_loss(model(batch), wanted)
    loss.backward()
    optimizer.step()
""",
    "the last loss of a recurrence": """
cell, head = nn.GRUCell(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
h, losses = torch.zeros(1, 4), []
for row, wanted in zip(x, y):
    h = cell(row[None], h)
    loss = F.mse_loss(head(h), wanted[None])
    losses.append(loss.item())
loss.backward()
optimizer.step()
""",
    "the worst of several losses": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    worst = None
    for batch, wanted in zip(x.split(2), y.split(2)):
        loss = F.mse_loss(model(batch), wanted)
        if worst is None or loss > worst:
            worst = loss
    loss = worst
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "an inner step in first order, and an attack": """
model, rate = nn.Linear(4, 1), nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([*model.parameters(), rate], lr=0.1)
for epoch in range(2):
    near = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad((rate * model(near) - y).pow(2).mean(), near)
    (inner,) = torch.autograd.grad((rate * model(x) - y).pow(2).mean(), rate)
    fast = rate - 0.1 * inner
    loss = (fast * model(x + 0.1 * slope) - y).pow(2).mean()
    (flow,) = torch.autograd.grad(model(near).sum(), near, create_graph=True)
    loss = loss + flow.norm() / flow.detach().norm() * loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "samples of actions and with their probability": """
from torch.distributions import Normal
actor, critic = nn.Linear(4, 2), nn.Linear(5, 1)
optimizer = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
for epoch in range(2):
    mean, spread = actor(x).chunk(2, dim=1)
    policy = Normal(mean, spread.exp())
    action, other = policy.sample(), torch.normal(mean, spread.exp())
    value = critic(torch.cat([x, action], dim=1))
    reward = -(action - 1).pow(2) - (other - 1).detach().pow(2)
    likely = policy.log_prob(action) - ((other - mean) / spread.exp()).pow(2) / 2 - spread
    loss = F.mse_loss(value, reward) - (likely * reward).mean() - policy.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "hooks that only look, and one that returns": """
model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
def log(grad):
    scaled = grad / (grad.norm() + 1e-8)
    seen.append(scaled.max())
def largest(grad):
    worst = grad.abs().max()
def keep(module, grad_input, grad_output):
    weights = 2 * module.weight.detach()
    module.gradient = 0.5 * grad_output[0]
def clip(grad):
    small = grad.clamp(-9.0, 9.0)
    if grad.norm() > 9.0:
        return small
for hook in (log, largest, clip):
    model[0].weight.register_hook(hook)
model[1].register_full_backward_hook(keep)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
""",
    "a checkpoint of what is frozen, and of inputs with a gradient": """
first, middle, last = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
first.requires_grad_(False)
optimizer = torch.optim.SGD([*middle.parameters(), *last.parameters()], lr=0.1)
def predict(x):
    h = checkpoint(first, x, use_reentrant=True)
    return last(checkpoint(middle, h.requires_grad_(), use_reentrant=True))
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(predict(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        print(F.mse_loss(last(checkpoint(middle, first(x), use_reentrant=True)), y))
""",
    "copies whose gradients are assigned, and a teacher": """
import copy
model = nn.Linear(4, 1)
teacher = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for task in range(2):
    learner = copy.deepcopy(model)
    (F.mse_loss(learner(x), y) + F.mse_loss(learner(x), teacher(x).detach())).backward()
    for p, q in zip(model.parameters(), learner.parameters()):
        p.grad = q.grad.clone()
    optimizer.step()
""",
    "gradients of two optimizers that are meant to add up": """
body, one, two = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
of_body, of_one, of_two = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (body, one, two))
for step in range(2):
    of_body.zero_grad()
    for head, optimizer in ((one, of_one), (two, of_two)):
        optimizer.zero_grad()
        F.mse_loss(head(body(x)), y).backward()
        optimizer.step()
    of_body.step()
for step in range(2):
    of_body.zero_grad()
    for part in range(2):
        of_one.zero_grad()
        F.mse_loss(one(body(x[part::2])), y[part::2]).backward()
        of_one.step()
    of_body.step()
""",
    "a discriminator that leaves gradients which are cleared": """
G, D = nn.Linear(4, 4), nn.Linear(4, 1)
of_g, of_d = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (G, D))
for step in range(3):
    fake = G(torch.randn(6, 4))
    of_d.zero_grad()
    (F.softplus(-D(x)) + F.softplus(D(fake))).mean().backward()
    of_d.step()
    of_g.zero_grad()
    F.softplus(-D(G(torch.randn(6, 4)))).mean().backward()
    of_g.step()
""",
    "a mask on the context of what is differentiated once": """
from torch.autograd.function import once_differentiable
class Positive(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask = torch.from_numpy((x.detach().numpy() > 0).astype("float32"))
        return x * ctx.mask
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return grad_output * ctx.mask
Positive.apply(nn.Linear(4, 1)(x)).sum().backward()
""",
    "evaluation mode on purpose": """
model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        model.eval()  # The statistics stay as they are.
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        print(F.mse_loss(model(x), y))
""",
}
