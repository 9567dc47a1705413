"""All that is kept, or a part of it, as a dataset again."""

from typing import Iterator, Optional

from rollbook._crossing import Cancellable, called


class Export(Cancellable, Iterator[str]):
    """The lines of a dataset that holds what the store holds, in pieces of about 64 KiB;
    each line ends with its line feed.

    The lines are those of the moment at which the export began. It fails as
    ``reader_ended`` if another call waits to erase, compact or suspend, and it is not
    read to its end within five seconds. The lines are personal data: store them where
    only those read them who may. As a context manager it is cancelled at the end.
    """

    def __next__(self) -> str:
        """The next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = called(self._native.read)
        if piece is None:
            raise StopIteration
        return piece
