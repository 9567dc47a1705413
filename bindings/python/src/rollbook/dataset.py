"""Where a dataset comes from, and who hears how far its load has come."""

import os
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Optional, Union

from rollbook import _crossing
from rollbook.errors import CancelledError
from rollbook.load import Load
from rollbook.report import Progress, Summary

Dataset = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, Iterable[bytes]]
"""A dataset, lines of JSON in UTF-8, one record a line: the lines themselves as text
or bytes, the path of a file (a :class:`pathlib.Path`, not a text), a file that is
open for reading in binary mode, or pieces of any size.

Text and bytes are copied on their way. Files and pieces are read as the load goes
on, so that memory stays bounded."""

Listener = Callable[[Progress], Optional[bool]]
"""Hears how far a load has come, about every 64 KiB or after each piece, on the
thread that loads. The load goes on unless it returns False; what it raises ends the
load and comes out of it. Nothing of the load is kept then."""

_PIECE_BYTES = 64 << 10
_LONGEST = 2**31 - 1


def whole(dataset: Dataset) -> Any:
    """The dataset as it crosses in one call; None if it comes in pieces."""
    if isinstance(dataset, str):
        dataset = dataset.encode()
    if isinstance(dataset, (bytes, bytearray, memoryview)):
        length = memoryview(dataset).nbytes
        if length > _LONGEST:
            raise ValueError(f"{length} bytes are too many at once: give a file, or pieces")
        return _crossing.native.Dataset.BYTES(bytes(dataset))
    if isinstance(dataset, os.PathLike):
        path = os.fspath(dataset)
        path.encode()
        return _crossing.native.Dataset.FILE(path)
    return None


def pieces(dataset: Any) -> Iterator[bytes]:
    """The pieces of a dataset that is read as the load goes on."""
    if not hasattr(dataset, "read"):
        yield from dataset
        return
    while piece := dataset.read(_PIECE_BYTES):
        yield piece


def loaded(load: Load, dataset: Dataset, listener: Optional[Listener]) -> Summary:
    """Pushes a dataset that comes in pieces."""
    with load:
        for piece in pieces(dataset):
            progress = load.push(piece)
            if listener is not None and listener(progress) is False:
                raise CancelledError("the load was cancelled: nothing was kept")
        return load.finish()


class Ear:
    """A listener as it crosses: it keeps what the listener raises."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.raised: Optional[BaseException] = None

    def progress(self, given: Any) -> bool:
        """Called by the engine."""
        try:
            return self._listener(_crossing.progress(given)) is not False
        except BaseException as raised:
            self.raised = raised
            return False


def heard(listener: Optional[Listener], load: Any) -> Summary:
    """Loads with a listener: what it raises comes out as it is."""
    ear = None if listener is None else Ear(listener)
    try:
        return _crossing.summary(load(ear))
    except Exception:
        if ear is not None and ear.raised is not None:
            raise ear.raised from None
        raise
