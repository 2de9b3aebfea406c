"""Correct programs that keep losses, or that step, clip and freeze in an order that matters."""

from __future__ import annotations

CORRECT_ORDER = {
    "losses kept as numbers": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first, second, third, best = [], [], [], None
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    first.append(loss.item())
    second.append(loss.detach())
    loss = loss.detach()
    third.append(loss)
""",
    "losses added up by one pass": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    losses = []
    for batch, wanted in zip(x.split(2), y.split(2)):
        loss = F.mse_loss(model(batch), wanted)
        losses.append(loss)
    optimizer.zero_grad()
    torch.stack(losses).mean().backward()
    optimizer.step()
""",
    "losses added up after the loop": """
model = nn.Linear(4, 1)
losses = []
for batch, wanted in zip(x.split(2), y.split(2)):
    loss = F.mse_loss(model(batch), wanted)
    losses.append(loss)
sum(losses).backward()
""",
    "losses of validation without a graph": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.mse_loss(model(x), y).backward()
optimizer.step()
losses = []
with torch.no_grad():
    for batch, wanted in zip(x.split(2), y.split(2)):
        loss = F.mse_loss(model(batch), wanted)
        losses.append(loss)
""",
    "the last losses": """
from collections import deque

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses, last = deque(maxlen=2), []
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss)
    last.append(loss)
    last = last[-1:]
""",
    "log probabilities of an episode": """
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
for episode in range(2):
    saved = []
    for state in x:
        chosen = policy(state).log_softmax(0)[0]
        saved.append(chosen)
    loss = -sum(saved)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "scheduler after the optimizer": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: min(1, (epoch + 1) / 3))
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
for epoch in range(3):
    if epoch > 0:
        scheduler.step()
    for batch, wanted in zip(x.split(3), y.split(3)):
        optimizer.zero_grad()
        loss = F.mse_loss(model(batch), wanted)
        loss.backward()
        optimizer.step()
    plateau.step(loss)
""",
    "scheduler on the line of the optimizer": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward(); optimizer.step(); scheduler.step(); print(loss.item())
""",
    "scheduler after a skipped step": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.amp.GradScaler("cpu", init_scale=3e38, backoff_factor=1e-36)
for epoch in range(3):
    optimizer.zero_grad()
    scaler.scale(F.mse_loss(9 * model(x), y)).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
""",
    "sparse embedding with its optimizer": """
table, head = nn.Embedding(6, 4, sparse=True), nn.Linear(4, 1)
optimizers = torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(head.parameters())
for epoch in range(2):
    for each in optimizers:
        each.zero_grad()
    F.mse_loss(head(table(torch.arange(6))), y).backward()
    for each in optimizers:
        each.step()
""",
    "hooks on expanded gradients": """
hidden = nn.Linear(4, 3)(x[0])


def mask(gradient):
    changed = gradient.clone()
    changed[0] = 0
    return changed


def clear(gradient):
    gradient.zero_()


hidden.register_hook(mask)
hidden.sum().backward()
other = nn.Linear(4, 3)(x)
other.register_hook(clear)
other.sum().backward()
weighted = nn.Linear(4, 3)(x[0])


def first(gradient):
    gradient[0] = 0


weighted.register_hook(first)
weighted.exp().sum().backward()
""",
    "clipping where it belongs": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    F.mse_loss(model(x), y).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
for epoch in range(2):
    for batch, wanted in zip(x.split(3), y.split(3)):
        F.mse_loss(model(batch), wanted).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
for at, (batch, wanted) in enumerate(zip(x.split(2), y.split(2))):
    F.mse_loss(model(batch), wanted).backward()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    if at % 2:
        optimizer.step()
        optimizer.zero_grad()
""",
    "clipped in time, for another step, or not at all": """
first, second = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
other = torch.optim.SGD(second.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(2):
    optimizer.zero_grad()
    other.zero_grad()
    F.mse_loss(second(first(x)), y).backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(second.parameters(), 1.0)
    other.step()
    scheduler.step()
for epoch in range(2):
    second.zero_grad()
    F.mse_loss(second(x), y).backward()
    nn.utils.clip_grad_norm_(second.parameters(), 1.0)
    other.step()
    scheduler.step()
for epoch in range(2):
    second.zero_grad()
    F.mse_loss(second(x), y).backward()
    other.step()
    norm = nn.utils.clip_grad_norm_(second.parameters(), max_norm=float("inf"))
other.zero_grad()
for at in range(4):
    F.mse_loss(second(x), y).backward()
    if at % 2:
        other.step()
        other.zero_grad()
    nn.utils.clip_grad_norm_(second.parameters(), 1.0)
""",
    "frozen in every way": """
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
model[0].requires_grad_(False)
model[2].bias.requires_grad = False
w = torch.ones(1, requires_grad=True)
w.requires_grad = False
for p in model[0].parameters():
    p.requires_grad = False
learned = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(learned, lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x) * w, y).backward()
    optimizer.step()
model.zero_grad()
step = optimizer.step
F.mse_loss(model(x), y).backward()
step()
""",
    "logarithms of probabilities": """
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    F.nll_loss(model(x).log_softmax(1), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p = p.detach()
    optimizer.step()
""",
    "gradients of two passes only": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
step = optimizer.step
for epoch in range(2):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
""",
}
