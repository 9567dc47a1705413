"""What can go wrong beside an answer."""

from typing import ClassVar


class RollbookError(Exception):
    """What an engine reports when it cannot do what it was asked.

    A refusal that the API itself knows (a wrong parameter, a client that has not
    authorised) is an answer with its status, never an error. The message says
    what to do next.
    """

    code: ClassVar[str]
    """The stable name of the case, for programs."""


class BadDatasetError(RollbookError):
    """A dataset has a fault, in the line that the message names; nothing of it
    was kept."""

    code = "bad_dataset"


class AlreadyOpenError(RollbookError):
    """Another engine, here or in another process, holds the store."""

    code = "already_open"


class BusyError(RollbookError):
    """Somebody else is at work on the store, and waiting did not help."""

    code = "busy"


class ReaderEndedError(RollbookError):
    """An export or feed was ended, since it was not read to its end while another call
    waited to erase, compact or suspend: start it again."""

    code = "reader_ended"


class SuspendedError(RollbookError):
    """The engine is suspended; resume it first."""

    code = "suspended"


class ClosedError(RollbookError):
    """The engine or load is closed."""

    code = "closed"


class CorruptError(RollbookError):
    """The store's file is damaged."""

    code = "corrupt"


class IoError(RollbookError):
    """Reading or writing failed; what was committed before is kept."""

    code = "io"


class NotAStoreError(RollbookError):
    """The file is no Rollbook store."""

    code = "not_a_store"


class MissingError(RollbookError):
    """The store's file was deleted, moved or replaced."""

    code = "missing"


class NewerFormatError(RollbookError):
    """The store was written by a newer Rollbook."""

    code = "newer_format"


class ExistsError(RollbookError):
    """A file is in the way."""

    code = "exists"


class CancelledError(RollbookError):
    """A load was cancelled; nothing of it was kept."""

    code = "cancelled"


class IdReusedError(RollbookError):
    """Another change was made under the id of this one; nothing was changed."""

    code = "id_reused"


class NotSyncedError(RollbookError):
    """A school is synced, and what was asked of it has not been seen yet."""

    code = "not_synced"


class SyncedError(RollbookError):
    """A school is synced or followed, so that only its source changes its records; or a list
    that is the same for all schools is that of a store that is followed. Nothing was changed."""

    code = "synced"


class ResyncRequiredError(RollbookError):
    """A text is not the position of a feed."""

    code = "resync_required"


class OutOfSyncError(RollbookError):
    """A feed does not begin at the position of this store; nothing was changed."""

    code = "out_of_sync"


class DivergedError(RollbookError):
    """The records of a store that follows differ from those of its source, by a fault of
    either. The next feed brings everything again, once."""

    code = "diverged"


class UnsupportedError(RollbookError):
    """This engine or platform cannot do what was asked."""

    code = "unsupported"


class BadArgumentError(RollbookError):
    """An argument is not of the form that it must have."""

    code = "bad_argument"


class ListenerFailedError(RollbookError):
    """The listener of a load raised an exception that could not be carried over.

    What a listener raises comes out of the load as it is; this is the engine's
    word for it, which stands in the table of codes.
    """

    code = "listener_failed"
