"""To change a gradient on its way, a hook on the tensor is enough."""


def halve(gradient):
    return gradient / 2


def with_hook(x):
    x.register_hook(halve)
    y = 2 * x
    y.sum().backward()


def without_hook(x):
    y = 2 * x
    y.sum().backward()
