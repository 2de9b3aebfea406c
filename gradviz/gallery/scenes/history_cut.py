"""A loss counts what is above a limit: a comparison has no derivative, so the history ends."""


def count_as_a_loss(x, w):
    scores = w * x
    above = scores > 4
    loss = above.double().sum()
    loss.backward()
