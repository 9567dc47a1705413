"""The sources of a dataset, and the listener for the progress of its load."""

import os
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Optional, Union

from rollbook import _native_calls
from rollbook.errors import CancelledError
from rollbook.load import Load
from rollbook.report import Progress, Summary

Dataset = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, Iterable[bytes]]
"""The source of a dataset: lines of JSON in UTF-8, with one record per line. It is one of: the
lines themselves, as text or bytes; the path of a file, as a :class:`pathlib.Path`, not as text; a
file that is open for reading in binary mode; or pieces of any size.

Text and bytes are copied to the library. Files and pieces are read during the load, so that the
memory use is limited."""

Listener = Callable[[Progress], Optional[bool]]
"""Receives the progress of a load, about every 64 KiB or after each piece, on the thread that
loads. If it returns False, the load is cancelled. If it raises an exception, the load ends and
raises the same exception. In both cases nothing of the load is stored."""

_PIECE_BYTES = 64 << 10
_LONGEST = 2**31 - 1


def whole(dataset: Dataset) -> Any:
    """Converts a dataset that can be passed in one call. Returns None if it consists of pieces."""
    if isinstance(dataset, str):
        dataset = dataset.encode()
    if isinstance(dataset, (bytes, bytearray, memoryview)):
        length = memoryview(dataset).nbytes
        if length > _LONGEST:
            raise ValueError(f"{length} bytes are too many at once: give a file, or pieces")
        return _native_calls.native.Dataset.BYTES(bytes(dataset))
    if isinstance(dataset, os.PathLike):
        path = os.fspath(dataset)
        path.encode()
        return _native_calls.native.Dataset.FILE(path)
    return None


def pieces(dataset: Any) -> Iterator[bytes]:
    """Iterates over the pieces of a dataset that is read during the load."""
    if not hasattr(dataset, "read"):
        yield from dataset
        return
    while piece := dataset.read(_PIECE_BYTES):
        yield piece


def push_pieces(load: Load, dataset: Dataset, listener: Optional[Listener]) -> Summary:
    """Loads a dataset that consists of pieces."""
    with load:
        for piece in pieces(dataset):
            progress = load.push(piece)
            if listener is not None and listener(progress) is False:
                raise CancelledError("the load was cancelled: nothing was stored")
        return load.finish()


class _NativeListener:
    """Forwards calls of the engine to a listener, and stores the exception that it raises."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.raised: Optional[BaseException] = None

    def progress(self, given: Any) -> bool:
        """Called by the engine."""
        try:
            return self._listener(_native_calls.progress(given)) is not False
        except BaseException as raised:
            self.raised = raised
            return False


def load_with_listener(listener: Optional[Listener], load: Any) -> Summary:
    """Loads with a listener. If the listener raises an exception, this raises the same one."""
    native = None if listener is None else _NativeListener(listener)
    try:
        return _native_calls.summary(load(native))
    except Exception:
        if native is not None and native.raised is not None:
            raise native.raised from None
        raise
