"""A school administration system's integration API, embedded.

Open an :class:`Engine`, load the data of a school, and send the same requests as to the
service. It answers in this process, offline, with the exact JSON of v1 and v2::

    from pathlib import Path
    from rollbook import Engine, Learners

    with Engine.open("school.redb") as engine:
        engine.apply(Path("school.ndjson"))
        print(engine.ask(Learners(school=1000, name="an")).json())

:mod:`rollbook.httpx` and :mod:`rollbook.requests` answer the requests of an HTTP client
from an engine instead of the network. They also use the client to fetch a school from the
service (:mod:`rollbook.sync` has the types), and to follow a server
(:mod:`rollbook.follow`). :mod:`rollbook.records` has the types of decoded answers.
Numbers such as 4.1 are sections of the service's documentation.
"""

from rollbook import question
from rollbook.async_engine import AsyncEngine, AsyncExport, AsyncLoad, AsyncSync
from rollbook.async_follow import AsyncFeed, AsyncFollow, AsyncLiveFeed
from rollbook.async_observe import AsyncAnswers
from rollbook.dataset import Dataset, Listener
from rollbook.engine import Engine
from rollbook.errors import (
    AlreadyOpenError,
    BadArgumentError,
    BadDatasetError,
    BusyError,
    CancelledError,
    ClosedError,
    CorruptError,
    DivergedError,
    ExistsError,
    IdReusedError,
    IoError,
    ListenerFailedError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    NotSyncedError,
    OutOfSyncError,
    ReaderEndedError,
    ResyncRequiredError,
    RollbookError,
    SuspendedError,
    SyncedError,
    UnsupportedError,
)
from rollbook.export import Export
from rollbook.follow import Feed, Follow, FollowStopped, SchoolInScope, Scope
from rollbook.learner_status import LearnerStatus
from rollbook.live_feed import LiveFeed
from rollbook.load import Load
from rollbook.lookup_list import LookupList
from rollbook.message import Answer, Header, Headers, Request, Upgrade
from rollbook.observe import Answers, LiveQuery
from rollbook.question import *
from rollbook.report import Counts, Fault, Progress, Stats, Summary, Verification
from rollbook.sync import (
    Coverage,
    Finding,
    FindingEffect,
    Sync,
    SyncProgress,
    SyncReport,
    SyncStopped,
)

__all__ = [
    "AlreadyOpenError",
    "Answer",
    "Answers",
    "AsyncAnswers",
    "AsyncEngine",
    "AsyncExport",
    "AsyncFeed",
    "AsyncFollow",
    "AsyncLiveFeed",
    "AsyncLoad",
    "AsyncSync",
    "BadArgumentError",
    "BadDatasetError",
    "BusyError",
    "CancelledError",
    "ClosedError",
    "CorruptError",
    "Counts",
    "Coverage",
    "Dataset",
    "DivergedError",
    "Engine",
    "ExistsError",
    "Export",
    "Fault",
    "Feed",
    "Finding",
    "FindingEffect",
    "Follow",
    "FollowStopped",
    "Header",
    "Headers",
    "IdReusedError",
    "IoError",
    "LearnerStatus",
    "Listener",
    "ListenerFailedError",
    "LiveFeed",
    "LiveQuery",
    "Load",
    "LookupList",
    "MissingError",
    "NewerFormatError",
    "NotAStoreError",
    "NotSyncedError",
    "OutOfSyncError",
    "Progress",
    "ReaderEndedError",
    "Request",
    "ResyncRequiredError",
    "RollbookError",
    "SchoolInScope",
    "Scope",
    "Stats",
    "Summary",
    "SuspendedError",
    "Sync",
    "SyncProgress",
    "SyncReport",
    "SyncStopped",
    "SyncedError",
    "UnsupportedError",
    "Upgrade",
    "Verification",
]
__all__ += question.__all__
