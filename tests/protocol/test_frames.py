"""Frames survive any split of the bytes; hostile bytes raise FrameError and nothing else."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.protocol.frames import (
    HEADER,
    MOST_BLOB_BYTES,
    MOST_JSON_BYTES,
    FrameError,
    FrameReader,
    pack_frame,
)
from tests.sweeps import generated

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
frames = st.lists(
    st.tuples(st.dictionaries(st.text(max_size=5), json_values), st.binary(max_size=50)),
    max_size=4,
)


def read(data: bytes, cuts: list[int] | None = None) -> list[tuple[dict[str, Any], bytes]]:
    reader = FrameReader()
    edges = [0, *sorted(cuts or []), len(data)]
    pieces = [data[first:last] for first, last in itertools.pairwise(edges)]
    found = [frame for piece in pieces for frame in reader.feed(piece)]
    assert reader.pending == 0
    return found


@generated(frames, st.data(), few=30, many=100)
def test_frames_survive_any_cutting(
    sent: list[tuple[dict[str, Any], bytes]], data: st.DataObject
) -> None:
    stream = b"".join(pack_frame(*frame) for frame in sent)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=6))
    assert read(stream, cuts) == sent


@given(st.binary(max_size=200))
def test_any_bytes_give_frames_or_a_frame_error(stream: bytes) -> None:
    reader = FrameReader()
    try:
        for data, _ in reader.feed(stream):
            assert isinstance(data, dict)
    except FrameError:
        return


def test_half_a_frame_waits() -> None:
    whole = pack_frame({"a": 1}, b"xyz")
    reader = FrameReader()
    assert list(reader.feed(whole[:-1])) == []
    assert reader.pending == len(whole) - 1
    assert list(reader.feed(whole[-1:])) == [({"a": 1}, b"xyz")]


def framed(text: bytes, blob_size: int = 0) -> bytes:
    return HEADER.pack(len(text), blob_size) + text


@pytest.mark.parametrize(
    "stream",
    [
        HEADER.pack(MOST_JSON_BYTES + 1, 0),
        HEADER.pack(2, MOST_BLOB_BYTES + 1),
        HEADER.pack(2**32 - 1, 2**32 - 1),
        framed(b"{"),
        framed(b"[]"),
        framed(b"null"),
        framed(b'{"a": NaN}'),
        framed(b'{"a": -Infinity}'),
        framed(b'{"a": "\xff"}'),
        framed(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        framed(b'{"a": ' + b"9" * 5000 + b"}"),
        framed(b""),
    ],
)
def test_hostile_frames_are_refused(stream: bytes) -> None:
    with pytest.raises(FrameError):
        list(FrameReader().feed(stream))


def test_a_length_alone_reserves_nothing() -> None:
    reader = FrameReader()
    assert list(reader.feed(HEADER.pack(MOST_JSON_BYTES, MOST_BLOB_BYTES))) == []
    assert reader.pending == HEADER.size


def test_what_is_too_large_is_not_sent() -> None:
    with pytest.raises(FrameError, match="JSON"):
        pack_frame({"a": "x" * MOST_JSON_BYTES})
    with pytest.raises(FrameError, match="raw bytes"):
        pack_frame({}, b"x" * (MOST_BLOB_BYTES + 1))


def test_lone_surrogates_travel_as_ascii() -> None:
    frame = pack_frame({"a": "\ud800"})
    size, _ = HEADER.unpack_from(frame)
    assert frame[HEADER.size : HEADER.size + size].isascii()
    assert json.loads(frame[HEADER.size :]) == {"a": "\ud800"}
