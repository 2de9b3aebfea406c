"""Wrong uses of optimizers and their look-alikes; ``# says`` what the finding must contain."""

from __future__ import annotations

OPTIMIZER_MISTAKES = {
    "gradients_not_cleared: one of two optimizers": """
# says: Call opt_d.zero_grad() in each iteration, before line 14.
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for epoch in range(2):
    fake = G(x)
    (D(y.expand(6, 2)) - D(fake.detach())).mean().backward()  # here
    opt_d.step()
    opt_g.zero_grad()
    D(fake).mean().backward()
    opt_g.step()
""",
    "gradients_not_cleared: two losses": """
# says: Call optimizer.zero_grad() in each iteration, before line 13.
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    F.mse_loss(model(x), y).backward()  # here
    model(x).abs().mean().backward()
    optimizer.step()
""",
    "gradients_not_cleared: in a closure": """
# says: Call solver.zero_grad() first in evaluate (line 14).
model = nn.Linear(4, 1)
solver = torch.optim.LBFGS(model.parameters(), max_iter=3)


def evaluate():
    loss = F.mse_loss(model(x), y)
    loss.backward()  # here
    return loss


solver.zero_grad()
solver.step(evaluate)
""",
}

OPTIMIZER_CORRECT = {
    "closures that clear in other ways": """
w = torch.ones(4, requires_grad=True)
solver = torch.optim.LBFGS([w], max_iter=3)


def clear():
    w.grad = None


def evaluate():
    clear()
    loss = (x @ w - y[:, 0]).square().mean()
    loss.backward()
    return loss


def over_batches():
    clear()
    for batch in x:
        loss = (batch @ w - 1).square()
        loss.backward()
    return loss


def once():
    loss = (x @ w).square().mean()
    loss.backward()
    return loss


solver.step(evaluate)
solver.step(over_batches)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    optimizer.step(once)
""",
}
