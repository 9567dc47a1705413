"""All that is kept, as a dataset again."""

from types import TracebackType
from typing import Any, Iterator, Optional, Type

from rollbook._crossing import Held, called


class Export(Held, Iterator[str]):
    """The lines of a dataset that holds all that the store holds, in pieces of about
    64 KiB; each line ends with its line feed.

    The lines are those of the moment at which the export began; until it is read to
    its end or cancelled, the store cannot be compacted or suspended. They hold
    personal data: keep them where nobody else reads them. As a context manager it
    is cancelled at the end.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def __next__(self) -> str:
        """The next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = called(self._native.read)
        if piece is None:
            raise StopIteration
        return piece

    def cancel(self) -> None:
        """Ends the export early. Does nothing if it is over."""
        called(self._native.cancel)

    def __enter__(self) -> "Export":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.cancel()
