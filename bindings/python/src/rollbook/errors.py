"""The errors for all failures that are not answers of the API."""

from typing import ClassVar


class RollbookError(Exception):
    """The error of an operation of an engine.

    A refusal that the API defines (for example of a wrong parameter, or of a client that has not
    authorised) is an answer with a status, and never an error. The message says what to do next.
    """

    code: ClassVar[str]
    """The stable code of the error."""


class BadDatasetError(RollbookError):
    """A dataset has an error in the line that the message contains. Nothing of the dataset was
    stored."""

    code = "bad_dataset"


class AlreadyOpenError(RollbookError):
    """Another engine, in this process or another one, has the store open."""

    code = "already_open"


class BusyError(RollbookError):
    """Another operation on the store is in progress, and did not end while the call waited."""

    code = "busy"


class ReaderEndedError(RollbookError):
    """An export or feed was ended, because it had not been read completely while another call
    waited to erase, compact or suspend. Start it again."""

    code = "reader_ended"


class SuspendedError(RollbookError):
    """The engine is suspended. Resume it first."""

    code = "suspended"


class ClosedError(RollbookError):
    """The engine is closed, or the load or feed has ended."""

    code = "closed"


class CorruptError(RollbookError):
    """The file of the store is damaged."""

    code = "corrupt"


class IoError(RollbookError):
    """Reading or writing failed. Earlier commits are not affected."""

    code = "io"


class NotAStoreError(RollbookError):
    """The file is not a Rollbook store."""

    code = "not_a_store"


class MissingError(RollbookError):
    """The file of the store was deleted, moved or replaced."""

    code = "missing"


class NewerFormatError(RollbookError):
    """The store was written by a newer version of Rollbook."""

    code = "newer_format"


class ExistsError(RollbookError):
    """A file already exists at the path."""

    code = "exists"


class CancelledError(RollbookError):
    """A load was cancelled. Nothing of it was stored."""

    code = "cancelled"


class IdReusedError(RollbookError):
    """Another change was made under the same id. Nothing was changed."""

    code = "id_reused"


class NotSyncedError(RollbookError):
    """A school is synced or followed, and the requested data has not been fetched, or is outside
    the scope."""

    code = "not_synced"


class SyncedError(RollbookError):
    """A school is synced or followed, so that only its source changes its records; or a list
    that is the same for all schools belongs to the store that this store follows. Nothing was
    changed."""

    code = "synced"


class ResyncRequiredError(RollbookError):
    """A text is not the position of a feed."""

    code = "resync_required"


class OutOfSyncError(RollbookError):
    """A feed does not begin at the position of this store. Nothing was changed."""

    code = "out_of_sync"


class DivergedError(RollbookError):
    """The records of a store that follows another one differ from those of its source, because of
    a fault in one of them. The next feed sends everything again, once."""

    code = "diverged"


class UnsupportedError(RollbookError):
    """This engine or platform does not support the operation."""

    code = "unsupported"


class BadArgumentError(RollbookError):
    """An argument is invalid."""

    code = "bad_argument"


class ListenerFailedError(RollbookError):
    """The listener of a load failed. This error does not occur in Python, because a load raises
    the listener's own exception."""

    code = "listener_failed"
