"""A state is carried into the next iteration together with the graph of the last one."""


def carry_the_state(h, x, w):
    for each in x.unbind():
        h = w * h + each
        loss = h * h
        loss.backward()
