"""Loads of a dataset in pieces."""

from typing import Any, Union

from rollbook import _native_calls
from rollbook._native_calls import call_native
from rollbook.report import Progress, Summary


class Load(_native_calls.Cancellable):
    """A dataset that is being loaded. Push its bytes in pieces of any size, then call
    :meth:`finish`.

    Nothing is stored before the load is finished. A load that is cancelled or released changes
    nothing. The memory use is limited, whatever the size of the dataset. As a context manager it
    is cancelled at the end of the block unless it was finished::

        with engine.load() as load:
            for piece in pieces:
                load.push(piece)
            summary = load.finish()
    """

    def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Receives the next bytes of the dataset, and returns how many lines and bytes were
        received so far.

        Fails as ``bad_dataset`` for the first faulty line. The load has then failed, and every
        further call fails with the same error. Fails as ``closed`` if the load has ended
        otherwise.
        """
        return push_piece(self._native, piece)

    def finish(self) -> Summary:
        """Ends the dataset, and applies it completely and durably, or not at all.

        Fails as ``bad_dataset`` for the first error in the dataset; as ``busy`` if another change
        does not finish in time; as ``synced`` as :meth:`Engine.apply` does; as ``io`` if the store
        cannot be written.
        """
        return _native_calls.summary(call_native(self._native.finish))


def push_piece(native: Any, piece: Union[bytes, bytearray, memoryview]) -> Progress:
    """Pushes a piece of a dataset or of a feed."""
    if isinstance(piece, str):
        raise TypeError("a piece is bytes: encode the text, or open the file in binary mode")
    return _native_calls.progress(call_native(native.push, bytes(piece)))
