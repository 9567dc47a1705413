"""All that is kept, or a part of it, as a dataset again."""

from typing import Iterator, Optional

from rollbook._crossing import Cancellable, called


class Export(Cancellable, Iterator[str]):
    """The lines of a dataset that holds what the store holds, in pieces of about 64 KiB;
    each line ends with its line feed.

    The lines are those of the moment at which the export began; until it is read to
    its end or cancelled, the store cannot be compacted or suspended. They hold
    personal data: keep them where nobody else reads them. As a context manager it
    is cancelled at the end.
    """

    def __next__(self) -> str:
        """The next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = called(self._native.read)
        if piece is None:
            raise StopIteration
        return piece
