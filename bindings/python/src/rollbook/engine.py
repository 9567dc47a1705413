"""The engine: everything that is asked of it."""

import os
from types import TracebackType
from typing import Any, Iterable, List, Optional, Tuple, Type, Union

from rollbook import _crossing, _direct
from rollbook._crossing import called
from rollbook.dataset import Dataset, Ear, Listener, loaded, pieces, whole
from rollbook.export import Export
from rollbook.instant import Instant, seconds
from rollbook.load import Load
from rollbook.message import Answer, Header, Headers, Request, Upgrade
from rollbook.question import Question
from rollbook.report import Fault, Stats, Summary, Verification

_native = _crossing.native


class Engine(_crossing.Held):
    """A school administration system's integration API over a store on this device.

    Give it a school's data as a dataset, ask it the requests of the service, and it
    answers with the exact JSON of v1 or v2, every rule included. It may be used from
    several threads at once; every call blocks until it is done, most for
    microseconds, and lets other threads run meanwhile.

    Open one by :meth:`open` or :meth:`memory`. As a context manager it is closed at
    the end; an engine that nobody refers to any more gives its file back too.
    """

    def __init__(self) -> None:
        raise TypeError("open an engine by Engine.open(path) or Engine.memory()")

    @classmethod
    def open(
        cls,
        path: Union[str, "os.PathLike[str]"],
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
    ) -> "Engine":
        """Opens the store in a file, and makes one where nothing is.

        ``cache_bytes`` is for what was read of the store: 256 MiB unless given. It
        fills as data is read.
        ``fixed_clock`` is a clock that stands still; the system's clock unless
        given. ``page_limit`` is how many records a page of v2 has where a request
        says nothing, 10 unless given, and ``max_page_limit`` how many at most, 50
        unless given.

        A process that is forked opens a store of its own: of an engine that it
        inherits it reads what lies in memory, and every other call fails as
        ``unsupported``.

        Fails as ``already_open`` if an engine holds it, here or in another process;
        as ``not_a_store``, ``newer_format`` or ``corrupt`` if it cannot be read; as
        ``unsupported`` if the limits do not fit. Every change fails as ``missing``
        once the file is no longer at the path; questions, an export and a backup
        still see what is open.
        """
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit)
        return cls._over(called(_native.Engine.open, os.fspath(path), options))

    @classmethod
    def memory(
        cls,
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
    ) -> "Engine":
        """Opens an empty store that lives in memory and goes with the engine. The
        options are those of :meth:`open`; the cache takes 32 MiB at most."""
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit)
        return cls._over(called(_native.Engine.memory, options))

    @classmethod
    def _over(cls, native: Any) -> "Engine":
        engine = cls.__new__(cls)
        engine._native = native
        engine._address = native.address()
        return engine

    _native: Any
    _address: int

    def request(
        self,
        target: str,
        method: str = "GET",
        headers: Headers = (),
        body: Union[str, bytes] = b"",
        now: Optional[Instant] = None,
    ) -> Answer:
        """Answers a request as the service does, rules of access included.

        ``target`` is path and query string, beginning with ``/api/v1/`` or
        ``/api/v2/``. Every request needs the headers ``HTTP-X-USERNAME`` and
        ``HTTP-X-PASSWORD``, most of v2 ``HTTP-X-SCHOOLID`` as well; if a name stands
        several times, the last counts. ``now`` is the instant to answer for; the
        engine's clock unless given.

        If the store fails or the engine is suspended or closed, the answer is a 500
        that says so.
        """
        asked = _direct.request(target, method, headers, body, now)
        return _direct.answered(self._address, _direct.REQUEST + asked)

    def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """Answers several requests, one after the other: to cross the language
        boundary costs more than most answers."""
        return _direct.all_answered(self._address, [_direct.request(*each) for each in requests])

    def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers a question of an app that is trusted: no credentials, no
        authorisation, no activation. The body is that of v1's answer to a request
        which has passed them. ``now`` is the instant to answer for; the engine's
        clock unless given.

        What the API refuses or does not find is an answer. Fails as ``suspended`` or
        ``closed``; as ``io`` or ``corrupt`` if the store fails; as ``bad_argument``
        if a text is no date.
        """
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.ASK, rest))

    def page(
        self,
        question: Question,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        reverse_order: bool = False,
        now: Optional[Instant] = None,
    ) -> Answer:
        """Answers one page of a question as v2 does (section 9, item 3); otherwise as
        :meth:`ask`.

        ``cursor`` is the ``next_cursor`` of the page before; none for the first
        page. ``limit`` is the most records: the engine's default unless given, and
        at most the engine's maximum. ``reverse_order`` gives the last record first.
        """
        page = _optional_text(cursor) + _optional_number(limit) + _direct.flag(reverse_order)
        rest = page + _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.PAGE, rest))

    def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers the first record that a question finds as v2 answers one record
        (section 9, item 1): an object, or 404. Otherwise as :meth:`ask`."""
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answered(self._address, question._asked(_direct.FIND, rest))

    def set_state(self, username: str, school: int, api_type_id: int, active: bool) -> Answer:
        """Sets whether an integrator serves a school's API type (4.8), for an app
        that is trusted: 200 if that changed something, 204 if it was so already.

        What the API refuses is an answer. Fails as ``busy`` if a load does not end in
        time, as ``io`` if the change could not be written.
        """
        answer = called(self._native.set_state, username, school, api_type_id, active)
        return Answer(answer.status, answer.bytes, answer.allow)

    def upgrade(self, target: str) -> Upgrade:
        """The v2 request for the data of a v1 one, given its path and query string
        (section 9).

        Fails as ``bad_argument`` if the target is not of v1, or of none of its paths,
        or if v1 refuses it as well.
        """
        upgrade = called(self._native.upgrade, target)
        return Upgrade(upgrade.target, _headers(upgrade))

    def apply(self, dataset: Dataset, progress: Optional[Listener] = None) -> Summary:
        """Applies a dataset: all of it, durably, or nothing.

        Text is the dataset itself; a file is given by its :class:`pathlib.Path`.
        Memory stays bounded if the dataset is read from a file or comes in pieces,
        and questions go on meanwhile. Applying the same dataset again writes
        nothing. ``progress`` hears how far the load has come, and cancels it if it
        returns False.

        Fails as ``bad_dataset`` for the first fault, with its line; as ``busy`` if
        another change does not end in time; as ``io`` if the dataset could not be
        read or the store could not be written; as ``cancelled`` if the listener said
        so. What the listener raises comes out as it is.
        """
        given = whole(dataset)
        if given is None:
            return loaded(self.load(), dataset, progress)
        return _heard(progress, lambda ear: called(self._native.apply, given, ear))

    def replace_school(
        self, school: int, dataset: Dataset, progress: Optional[Listener] = None
    ) -> Summary:
        """Applies a dataset that is the whole of one school: what it lacks goes.

        It may bring API types and integrators along; those that it lacks stay. Fails
        as :meth:`apply`; a record of another school is a fault.
        """
        given = whole(dataset)
        if given is None:
            return loaded(self.load_school(school), dataset, progress)
        return _heard(progress, lambda ear: called(self._native.replace_school, school, given, ear))

    def load(self) -> Load:
        """Begins a load that bytes are pushed into."""
        return Load(called(self._native.load))

    def load_school(self, school: int) -> Load:
        """Begins a load of the whole of one school, that bytes are pushed into."""
        return Load(called(self._native.load_school, school))

    def check(self, dataset: Dataset, limit: int = 100) -> List[Fault]:
        """Every fault of a dataset, at most so many, in the order of its lines.
        Nothing is applied. Pieces, and a file that is open, are read into memory
        first; a path is not.

        Fails as ``io`` if the dataset could not be read, as ``busy`` as a change
        does.
        """
        given = whole(dataset)
        if given is None:
            given = whole(b"".join(pieces(dataset)))
        faults = called(self._native.check, given, limit)
        return [Fault(fault.line, fault.what) for fault in faults]

    def remove_school(self, school: int) -> Summary:
        """Removes every record of a school, the authorisations that it gave included.
        An unknown school is no error. Old pages of the file may hold bytes of it
        until the store is compacted.

        Fails as ``busy`` or ``io``; nothing is changed then.
        """
        return _crossing.summary(called(self._native.remove_school, school))

    def erase_learner(self, school: int, learner: int) -> Summary:
        """Erases a learner: the learner, its subjects, marks and absences, and what
        old pages of the file still hold of them. Parents and accountable persons are
        people of their own and stay.

        Fails as ``busy`` if a change, an export or a backup does not end in time, or
        as ``io``. Call it again then.
        """
        return _crossing.summary(called(self._native.erase_learner, school, learner))

    def export(self, *, credentials: bool = False) -> Export:
        """Begins an export of everything that is kept, to be iterated over.

        ``credentials`` says whether the integrators and their password hashes are in
        it.
        """
        return Export(called(self._native.export, _credentials(credentials)))

    def verify(self) -> Verification:
        """Looks through the whole store for damage and for records that do not agree
        with each other. Changes nothing; questions go on meanwhile.

        Damage is a finding. Fails as ``busy`` if a change does not end in time.
        """
        found = called(self._native.verify)
        return Verification(found.records, found.problems)

    def compact(self) -> None:
        """Gives free space back to the file system, and leaves nothing in the file of
        what was removed. Questions wait meanwhile; for a while the file is up to
        twice as long.

        Fails as ``busy`` while a change is written or an export or backup is read; as
        ``io`` if there is no room, as ``corrupt`` if the file is damaged, and then
        the store is as it was.
        """
        called(self._native.compact)

    def backup(self, path: Union[str, "os.PathLike[str]"], *, credentials: bool) -> None:
        """Writes a copy of the store to a new file, as it is now; changes and
        questions go on meanwhile. The file is readable by its owner alone: it holds
        personal data, and the integrators with their password hashes if
        ``credentials`` are kept.

        Until it is whole, the copy is called ``rollbook-….part``, in the same folder;
        should the process be killed meanwhile, that file stays, with personal data:
        remove it.

        Fails as ``exists`` if there is something at the path; as ``io`` if it could
        not be written, and then nothing is left at the path.
        """
        called(self._native.backup, os.fspath(path), _credentials(credentials))

    def suspend(self) -> None:
        """Gives the file back until the engine is resumed, as a mobile app must when
        it goes to the background. Calls fail as ``suspended`` meanwhile.

        Fails as ``busy`` if a change does not end in time, as ``unsupported`` if the
        store lives in memory.
        """
        called(self._native.suspend)

    def resume(self) -> None:
        """Takes the file again, whatever store is at its path by now. Does nothing
        if the engine is not suspended.

        Fails as :meth:`open` does, but as ``missing`` where nothing is.
        """
        called(self._native.resume)

    def stats(self) -> Stats:
        """How much the store holds."""
        stats = called(self._native.stats)
        return Stats(stats.bytes, stats.records)

    def close(self) -> None:
        """Closes the store and gives its file back. Every later call fails as
        ``closed``; closing again does nothing.

        Fails as ``busy`` if a load does not end in time.
        """
        called(self._native.close)

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


def _options(
    cache_bytes: Optional[int],
    fixed_clock: Optional[Instant],
    page_limit: Optional[int],
    max_page_limit: Optional[int],
) -> Any:
    return _native.Options(
        cache_bytes=cache_bytes,
        fixed_clock=seconds(fixed_clock),
        page_limit=page_limit,
        max_page_limit=max_page_limit,
    )


_optional_text = _direct.optional(_direct.text)
_optional_number = _direct.optional(_direct.number)


def _headers(given: Any) -> Tuple[Header, ...]:
    return tuple((header.name, header.value) for header in given.headers)


def _credentials(keep: bool) -> Any:
    return _native.Credentials.KEEP if keep else _native.Credentials.LEAVE_OUT


def _heard(listener: Optional[Listener], load: Any) -> Summary:
    """Loads with a listener: what it raises comes out as it is."""
    ear = None if listener is None else Ear(listener)
    try:
        return _crossing.summary(load(ear))
    except Exception:
        if ear is not None and ear.raised is not None:
            raise ear.raised from None
        raise
