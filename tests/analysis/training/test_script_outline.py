"""The training loop of a script, read from its text."""

from __future__ import annotations

from gradviz.analysis.training.script_outline import script_outline

SCRIPT = """
net = make()
for epoch in range(3):
    for x in data:
        loss = net(x)
        loss.backward()
        optimizer.step()
    scheduler.step()
"""


def test_the_outermost_loop_counts() -> None:
    found = script_outline(SCRIPT)
    assert found is not None
    assert (found.loop, found.backward, found.update) == (3, 6, 7)


def test_what_does_not_train_has_no_outline() -> None:
    assert script_outline("for x in data:\n    print(x)\n") is None
    assert script_outline("loss.backward()\n") is None
    assert script_outline("for x in (:\n") is None


def test_a_loop_without_an_optimizer_has_no_update() -> None:
    found = script_outline("while True:\n    loss().backward()\n")
    assert found is not None
    assert (found.loop, found.backward, found.update) == (1, 2, 0)
