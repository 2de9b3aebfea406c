"""An optimizer's step changes a parameter that a later backward pass still needs."""

import torch


def step_before_the_second_pass(w):
    optimizer = torch.optim.SGD([w], lr=0.5)
    first, second = w * w, w**3
    first.backward()
    optimizer.step()
    second.backward()
