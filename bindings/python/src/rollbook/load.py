"""A dataset in pieces."""

from typing import Any, Union

from rollbook import _crossing
from rollbook._crossing import called
from rollbook.report import Progress, Summary


class Load(_crossing.Cancellable):
    """A dataset on its way in: push its bytes in pieces of any size, then finish.

    Nothing is kept before it is finished; a load that is cancelled, or let go,
    leaves the store as it was. Memory stays bounded whatever the dataset's size. As
    a context manager it is cancelled at the end unless it was finished::

        with engine.load() as load:
            for piece in pieces:
                load.push(piece)
            summary = load.finish()
    """

    def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Takes the next bytes of the dataset, and says how far it has come.

        Fails as ``bad_dataset`` for the first faulty line: the load is over then,
        and every further call gives the same error. Fails as ``closed`` if it is
        over otherwise.
        """
        return pushed(self._native, piece)

    def finish(self) -> Summary:
        """Ends the dataset: all of it is kept, durably, or nothing.

        Fails as ``bad_dataset`` for the first fault, as ``busy`` if another writer
        does not end in time, as ``io`` if the store could not be written.
        """
        return _crossing.summary(called(self._native.finish))


def pushed(native: Any, piece: Union[bytes, bytearray, memoryview]) -> Progress:
    """Pushes a piece of a dataset, or of a feed."""
    if isinstance(piece, str):
        raise TypeError("a piece is bytes: encode the text, or open the file in binary mode")
    return _crossing.progress(called(native.push, bytes(piece)))
