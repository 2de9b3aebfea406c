"""What torch says of a tensor's storage, without a Python object of that storage."""

import gc
import weakref
from threading import Thread

import pytest
import torch

from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_compat import (
    free_weak_storage,
    storage_address,
    storage_bytes,
    version_counter,
    weak_storage,
    weak_storage_expired,
)


def asked(tensor: torch.Tensor) -> tuple[bool, int]:
    """Whether NumPy may have the memory, and its size."""
    reference, is_exported = weak_storage(storage_address(tensor))
    assert reference == storage_address(tensor)
    assert not weak_storage_expired(reference)
    free_weak_storage(reference)
    return is_exported, storage_bytes(tensor)


def exported() -> torch.Tensor:
    tensor = torch.zeros(5)
    tensor.numpy()
    return tensor


def resized() -> torch.Tensor:
    tensor = torch.zeros(100)
    tensor.untyped_storage().resize_(8)
    return tensor


TENSORS = {
    "whole": lambda: torch.zeros(5),
    "view": lambda: torch.zeros(4, 5)[1:3],
    "empty": lambda: torch.zeros(0),
    "meta": lambda: torch.zeros(7, device="meta"),
    "leaf": lambda: torch.nn.Parameter(torch.zeros(2, dtype=torch.float64)),
    "exported": exported,
    "resized": resized,
}


@pytest.mark.parametrize("kind", TENSORS)
def test_storage_is_described_as_its_own_object_does(kind: str) -> None:
    tensor = TENSORS[kind]()
    found = asked(tensor)
    storage = tensor.untyped_storage()
    assert found == (not storage.resizable(), storage.nbytes())
    assert asked(tensor) == found
    assert tensor.untyped_storage() is storage


def test_reference_does_not_keep_memory() -> None:
    tensor = torch.zeros(5)
    storage = weakref.ref(tensor.untyped_storage())
    reference, _ = weak_storage(storage_address(tensor))
    storage_bytes(tensor)
    del tensor
    gc.collect()
    assert storage() is None
    assert weak_storage_expired(reference)
    free_weak_storage(reference)


def test_gradients_are_still_summed_in_place() -> None:
    """As long as nobody else has the storage of the first one."""

    def versions(*, asks: bool) -> list[int]:
        found: list[int] = []

        def hook(gradients: tuple[torch.Tensor, ...], _: object) -> None:
            if asks:
                asked(gradients[0])

        x = torch.ones(3, requires_grad=True)
        y = x * 2
        parts = [y * 3, y * 4, y * 5]
        for part in parts:
            assert part.grad_fn is not None
            part.grad_fn.register_hook(hook)
        y.register_hook(lambda gradient: found.append(version_counter(gradient)))
        torch.stack(parts).sum().backward()
        return found

    assert versions(asks=True) == versions(asks=False) == [2]


def test_threads_can_ask_at_once() -> None:
    found: set[tuple[int, tuple[bool, int]]] = set()

    def ask(size: int) -> None:
        tensor = torch.zeros(size)
        if size % 2:
            tensor.numpy()
        found.update((size, asked(tensor)) for _ in range(2_000))

    threads = [Thread(target=ask, args=(size,)) for size in range(1, 7)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {(size, (size % 2 == 1, 4 * size)) for size in range(1, 7)}


@pytest.mark.parametrize("fails", ["nbytes", "_weak_ref"])
def test_exception_leaves_no_reference(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Ctrl+C, or what another thread raises."""

    class Interrupted:
        def __init__(self, storage: object) -> None:
            self.storage = storage

        def __getattr__(self, name: str) -> object:
            if name == fails:
                raise KeyboardInterrupt
            return getattr(self.storage, name)

    private = vars(tensor_compat)
    probe, set_storage = private["_PROBE"], private["_set_storage"]
    tensor = torch.zeros(5)
    storage = weakref.ref(tensor.untyped_storage())
    monkeypatch.setattr(tensor_compat, "_PROBE", Interrupted(probe))
    monkeypatch.setattr(
        tensor_compat, "_set_storage", lambda probe, address: set_storage(probe.storage, address)
    )
    with pytest.raises(KeyboardInterrupt):
        asked(tensor)
    del tensor
    gc.collect()
    assert storage() is None
