"""Leaves that recorded graphs reach have a name each, as long as they live."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st

from gradviz.recorder.autograd_graph import SeenLeaves

ACTIONS = st.one_of(
    st.tuples(st.just("see"), st.sampled_from(["w", "b", "w (2)"])),
    st.tuples(st.sampled_from(["again", "die"]), st.integers(0, 9)),
)


@given(st.lists(ACTIONS, max_size=30))
def test_each_living_leaf_has_the_first_name_that_no_other_has(
    actions: list[tuple[str, Any]],
) -> None:
    leaves = SeenLeaves()
    living: dict[str, torch.Tensor] = {}
    for action, given_ in actions:
        match action:
            case "see":
                copies = [given_, *(f"{given_} ({copy})" for copy in range(2, 40))]
                name = next(each for each in copies if each not in living)
                living[name] = torch.ones(1)
                leaves.see(living[name], given_)
            case "again" if living:
                leaves.see(list(living.values())[given_ % len(living)], "other")
            case "die" if living:
                del living[list(living)[given_ % len(living)]]
        assert {name: id(leaf) for name, leaf in leaves.living()} == {
            name: id(leaf) for name, leaf in living.items()
        }


def test_a_leaf_is_read_by_the_thread_that_uses_it() -> None:
    leaves, leaf = SeenLeaves(), torch.ones(1)

    def read() -> torch.Tensor | None:
        ((_, found),) = leaves.living()
        return found

    with ThreadPoolExecutor(max_workers=1) as other:
        leaves.see(leaf, "w")
        assert read() is leaf
        assert other.submit(read).result() is None
        # Once, it may be handed to another thread.
        other.submit(leaves.see, leaf, "w").result()
        assert other.submit(read).result() is leaf
        assert read() is None
        # Two threads that use it in turn may do so at the same time.
        leaves.see(leaf, "w")
        assert read() is None
        assert other.submit(read).result() is None
