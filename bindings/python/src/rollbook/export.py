"""Exports of a store as a dataset."""

from typing import Iterator, Optional

from rollbook._native_calls import Cancellable, call_native


class Export(Cancellable, Iterator[str]):
    """An export: the lines of a dataset with all exported records, in pieces of about 64 KiB. Each
    line ends with a line feed.

    The lines show the store as it was when the export began. If another call waits to erase,
    compact or suspend, and the export is not read completely within five seconds, it fails as
    ``reader_ended``. The lines are personal data: store them where no one else can read them. As a
    context manager it is cancelled at the end of the block.
    """

    def __next__(self) -> str:
        """Returns the next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = call_native(self._native.read)
        if piece is None:
            raise StopIteration
        return piece
