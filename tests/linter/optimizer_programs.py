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
    "parameter_not_optimized: unfrozen": """
# says: Line 15 unfreezes parameters, but no optimizer updates body.bias and body.weight
body, head = nn.Linear(4, 3).requires_grad_(False), nn.Linear(3, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(3):
    if epoch == 1:
        for p in body.parameters():
            p.requires_grad = True  # here
    optimizer.zero_grad()
    F.mse_loss(head(body(x)), y).backward()
    optimizer.step()
""",
    "parameter_not_optimized: weights of a loss": """
# says: Add log_variance and weights[0] to Adam (line 13).
model = nn.Linear(4, 1)
log_variance = nn.Parameter(torch.zeros(1))
weights = [nn.Parameter(torch.ones(1))]
optimizer = torch.optim.Adam(model.parameters())  # here
for epoch in range(2):
    optimizer.zero_grad()
    (weights[0] * F.mse_loss(model(x), y) * (-log_variance).exp() + log_variance).sum().backward()
    optimizer.step()
""",
    "parameter_not_optimized: converted": """
# says: assigns the result of double to self.scale


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4)).double()  # here
        self.last = nn.Linear(4, 1).double()

    def forward(self, x):
        return self.last(x * self.scale)


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    model(x.double()).mean().backward()
    optimizer.step()
""",
    "gradients_cleared_early: in each batch": """
# says: uses only the last of 3 backward passes (line 14), because line 13 clears
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for at in range(6):
    optimizer.zero_grad()  # here
    F.mse_loss(model(x), y).backward()
    if (at + 1) % 3 == 0:
        optimizer.step()
""",
    "gradients_cleared_early: in an inner loop": """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for batch, wanted in zip(x.split(3), y.split(3)):
        model.zero_grad()  # here
        F.mse_loss(model(batch), wanted).backward()
    optimizer.step()
""",
    "scaled_gradients_clipped: by hand": """
# says: contain the factor 1024 of the loss (line 15)
model, scale = nn.Linear(4, 1), 1024
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    (loss * scale).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)  # here
    for p in model.parameters():
        p.grad = p.grad / scale
    optimizer.step()
""",
    "parameter_cut_off: of the other step": """
# says: The history ends in detach(fake) (line 18).
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for epoch in range(2):
    fake = G(x)
    opt_d.zero_grad()
    (D(y.expand(6, 2)) - D(fake.detach())).mean().backward()
    opt_d.step()
    opt_g.zero_grad()
    D(fake.detach()).mean().backward()  # here
    opt_g.step()
""",
    "parameter_cut_off: of the first step": """
# says: The history ends in detach(fake) (line 15).
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for epoch in range(2):
    opt_g.zero_grad()
    fake = G(x)
    D(fake.detach()).mean().backward()  # here
    opt_g.step()
    opt_d.zero_grad()
    (D(y.expand(6, 2)) - D(fake.detach())).mean().backward()
    opt_d.step()
""",
    "parameter_cut_off: of any step": """
# says: The history ends in detach(fake) (line 16) and detach(fake) (line 17). Leave it out where
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for epoch in range(2):
    opt_d.zero_grad()
    opt_g.zero_grad()
    fake = G(x)
    D(fake.detach()).mean().backward()  # here
    (D(y.expand(6, 2)) - D(fake.detach())).mean().backward()
    opt_g.step()
    opt_d.step()
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


class Twice(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 0.1})

    def step(self, closure):
        for call in range(2):
            closure()
            with torch.no_grad():
                w.sub_(0.1 * w.grad)
            self.zero_grad()


solver.step(evaluate)
solver.step(over_batches)
Twice([w]).step(once)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range(2):
    optimizer.zero_grad()
    optimizer.step(once)
""",
    "parameters that no optimizer has": """
class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift, self.body = nn.Parameter(torch.zeros(4)), nn.Linear(4, 3)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.body(x + self.shift))


model, multiplier = Shifted(), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    out = model(x)
    (F.mse_loss(out, y) + multiplier * out.mean()).sum().backward()
    optimizer.step()
    with torch.no_grad():
        multiplier += 0.1 * multiplier.grad
    multiplier.grad = None
""",
    "parameters that are unfrozen": """
body, head = nn.Linear(4, 3).requires_grad_(False), nn.Linear(3, 1)
for epoch in range(4):
    if epoch == 2:
        body.requires_grad_(True)
        optimizer.add_param_group({"params": body.parameters()})
    if epoch == 0:
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    optimizer.zero_grad()
    F.mse_loss(head(body(x)), y).backward()
    optimizer.step()
""",
    "gradients that are cleared on purpose": """
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for at in range(4):
    opt_g.zero_grad()
    opt_d.zero_grad()
    fake = G(x)
    (D(fake.detach()) - y).square().mean().backward()
    opt_d.step()
    if at % 2 == 1:
        (D(fake) - 1).square().mean().backward()
        opt_g.step()
norms = []
for at in range(4):
    opt_g.zero_grad()
    loss = G(x + at).square().mean()
    loss.backward()
    if loss < 2:
        opt_g.step()
for row in x:
    opt_g.zero_grad()
    G(row).sum().backward()
    norms.append(G.weight.grad.norm())
opt_g.step()
""",
    "a scaled loss clipped to a scaled limit": """
model, scale = nn.Linear(4, 1), 1024
limit = 0.5 * scale
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    optimizer.zero_grad()
    (F.mse_loss(model(x), y) * scale).backward()
    if epoch < 2:
        nn.utils.clip_grad_norm_(model.parameters(), limit)
    for p in model.parameters():
        p.grad.div_(scale)
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
""",
}
