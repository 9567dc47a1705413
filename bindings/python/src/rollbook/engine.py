"""The engine: opens a store, and answers requests and questions from it."""

import os
from types import TracebackType
from typing import Any, Iterable, List, Optional, Tuple, Type, Union

from rollbook import _direct, _native_calls
from rollbook import sync as _sync
from rollbook._native_calls import call_native
from rollbook.dataset import Dataset, Listener, load_with_listener, pieces, push_pieces, whole
from rollbook.export import Export
from rollbook.follow import Feed, Follow, Scope, native_scope
from rollbook.instant import Instant, seconds
from rollbook.live_feed import LiveFeed
from rollbook.load import Load
from rollbook.message import Answer, Header, Headers, Request, Upgrade
from rollbook.observe import Observable
from rollbook.question import Day, Question
from rollbook.report import Fault, Stats, Summary, Verification
from rollbook.sync import Coverage, Sync

_native = _native_calls.native


class Engine(Observable):
    """The integration API of a school administration system, over a store on this device.

    Load the data of a school as a dataset and send the same requests as to the service. The
    engine answers with the exact JSON of v1 or v2, and implements every rule. It can be used from
    several threads at once. Every call blocks until it is finished; most calls take microseconds,
    and other threads run meanwhile.

    Open an engine by :meth:`open` or :meth:`memory`. As a context manager it is closed at the end
    of the block. An engine without references also closes its file.
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
        journal_bytes: Optional[int] = None,
    ) -> "Engine":
        """Opens the store in a file, or creates one if no file exists.

        ``cache_bytes`` limits the cache for data that was read from the store; the default is 256
        MiB. The cache fills as data is read. ``fixed_clock`` is a fixed time; the default is the
        system's clock. ``page_limit`` is the number of records of a v2 page if a request contains
        no limit; the default is 10. ``max_page_limit`` is the maximum number of records of a v2
        page; the default is 50. ``journal_bytes`` limits the journal of each school, which records
        the changes for followers; the default is 1 MiB. With 0, nothing is recorded, and followers
        always receive everything.

        A forked process must open its own store. With an engine inherited from its parent it can
        only read what is in memory; every other call fails as ``unsupported``.

        Fails as ``already_open`` if another engine, in this process or another one, has the store
        open; as ``not_a_store``, ``newer_format`` or ``corrupt`` if it cannot be read; as
        ``unsupported`` if the limits of pages are invalid. Every change fails as ``missing`` once
        the file is no longer at the path; questions, an export and a backup still use the open
        file.
        """
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit, journal_bytes)
        return cls._over(call_native(_native.Engine.open, os.fspath(path), options))

    @classmethod
    def memory(
        cls,
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
        journal_bytes: Optional[int] = None,
    ) -> "Engine":
        """Opens an empty store in memory, which is discarded with the engine. The options are
        those of :meth:`open`; the cache uses at most 32 MiB.

        A forked process inherits a copy of the store. Live queries and live feeds of an inherited
        engine fail as ``unsupported``.
        """
        options = _options(cache_bytes, fixed_clock, page_limit, max_page_limit, journal_bytes)
        return cls._over(call_native(_native.Engine.memory, options))

    @classmethod
    def _over(cls, native: Any) -> "Engine":
        engine = cls.__new__(cls)
        engine._native = native
        engine._address = native.address()
        engine._process = os.getpid()
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
        """Answers a request as the service does, including the access checks.

        ``target`` is the path and the query string, starting with ``/api/v1/`` or ``/api/v2/``.
        Every request needs the headers ``HTTP-X-USERNAME`` and ``HTTP-X-PASSWORD``, and most
        requests of v2 also need ``HTTP-X-SCHOOLID``. If a name occurs several times, the last
        value is used. ``now`` is the instant for which the request is answered; the default is the
        instant of the engine's clock.

        If the store fails, or the engine is suspended or closed, the answer is a 500 with an
        explanation.
        """
        asked = _direct.request(target, method, headers, body, now)
        return _direct.answer_one(self._address, _direct.REQUEST + asked)

    def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """Answers several requests, one after the other. This is faster than a call for each,
        because a call of the library takes longer than most answers."""
        return _direct.answer_all(self._address, [_direct.request(*each) for each in requests])

    def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers a question of a trusted app, without credentials, authorisation and activation.
        The body is the same as that of v1's answer to a request that passes these checks. ``now``
        is the instant for which the question is answered; the default is the instant of the
        engine's clock.

        If the API refuses the question or finds nothing, this is an answer and not an error. Fails
        as ``suspended`` or ``closed``; as ``not_synced`` if the school is synced and the data was
        not fetched yet; as ``io`` or ``corrupt`` if the store fails; as ``bad_argument`` if a text
        is not a date.
        """
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answer_one(self._address, question._encode_call(_direct.ASK, rest))

    def page(
        self,
        question: Question,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        reverse_order: bool = False,
        now: Optional[Instant] = None,
    ) -> Answer:
        """Answers one page of a question in the format of v2 (section 9, item 3). In other
        respects it works like :meth:`ask`.

        ``cursor`` is the ``next_cursor`` of the previous page; omit it for the first page.
        ``limit`` is the maximum number of records; the default is that of the engine, and the
        engine limits it. With ``reverse_order``, the last record is first.
        """
        page = _optional_text(cursor) + _optional_number(limit) + _direct.flag(reverse_order)
        rest = page + _direct.instant(now)
        return _direct.answer_one(self._address, question._encode_call(_direct.PAGE, rest))

    def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Answers with the first record that matches a question, in the format of v2 for one
        record (section 9, item 1): an object, or 404. In other respects it works like
        :meth:`ask`."""
        rest = _direct.NONE if now is None else _direct.instant(now)
        return _direct.answer_one(self._address, question._encode_call(_direct.FIND, rest))

    def set_state(self, username: str, school: int, api_type_id: int, active: bool) -> Answer:
        """Sets whether an integrator serves a school's API type (4.8), for a trusted app. The
        status is 200 if the state was changed, and 204 if it was the same already.

        If the API refuses the update, this is an answer and not an error. Fails as ``busy`` if a
        load does not finish in time; as ``synced`` if the school is synced without an outbox; as
        ``io`` if the change cannot be written.
        """
        answer = call_native(self._native.set_state, username, school, api_type_id, active)
        return Answer(answer.status, answer.bytes, answer.allow)

    def upgrade(self, target: str) -> Upgrade:
        """Returns the v2 request for the data of a v1 request, which is given by its path and
        query string (section 9).

        Fails as ``bad_argument`` if the target does not belong to v1, if v1 does not have its
        path, or if v1 refuses it too.
        """
        upgrade = call_native(self._native.upgrade, target)
        return Upgrade(upgrade.target, _headers(upgrade))

    def apply(self, dataset: Dataset, progress: Optional[Listener] = None) -> Summary:
        """Applies a dataset: all of it, durably, or nothing.

        Text is the dataset itself; a file is given by its :class:`pathlib.Path`. If the dataset is
        read from a file or consists of pieces, the memory use is limited, whatever its size.
        Questions are answered meanwhile. Applying the same dataset again writes nothing.
        ``progress`` receives the progress of the load, and cancels it by returning False.

        Fails as ``bad_dataset`` for the first fault, with its line; as ``busy`` if another change
        does not finish in time; as ``synced`` if the dataset has records that only
        the source of a synced or followed school may change; as ``io`` if the dataset cannot be
        read or the store cannot be written; as ``cancelled`` if the listener returned False. If
        the listener raises an exception, this method raises the same one.
        """
        given = whole(dataset)
        if given is None:
            return push_pieces(self.load(), dataset, progress)
        return load_with_listener(
            progress, lambda listener: call_native(self._native.apply, given, listener)
        )

    def replace_school(
        self, school: int, dataset: Dataset, progress: Optional[Listener] = None
    ) -> Summary:
        """Applies a dataset that contains one school completely. Stored records of the school that
        the dataset lacks are removed.

        The dataset may also contain API types and integrators; those that it lacks remain. Fails
        as :meth:`apply` does. A record of another school is an error in the dataset.
        """
        given = whole(dataset)
        if given is None:
            return push_pieces(self.load_school(school), dataset, progress)
        return load_with_listener(
            progress,
            lambda listener: call_native(self._native.replace_school, school, given, listener),
        )

    def load(self) -> Load:
        """Begins a load, into which the bytes of a dataset are pushed."""
        return Load(call_native(self._native.load))

    def load_school(self, school: int) -> Load:
        """Begins a load of one complete school, into which the bytes of a dataset are pushed. See
        :meth:`replace_school`."""
        return Load(call_native(self._native.load_school, school))

    def check(self, dataset: Dataset, limit: int = 100) -> List[Fault]:
        """Returns all errors in a dataset, up to a limit, in the order of its lines. Nothing is
        applied. Pieces and open files are first read into memory; a file given by its path is not.

        Fails as ``io`` if the dataset cannot be read, and as ``busy`` as a change does.
        """
        given = whole(dataset)
        if given is None:
            given = whole(b"".join(pieces(dataset)))
        faults = call_native(self._native.check, given, limit)
        return [Fault(fault.line, fault.what) for fault in faults]

    def remove_school(self, school: int) -> Summary:
        """Removes every record of a school, including the authorisations that it gave. An unknown
        school is not an error. Unused pages of the file may contain its bytes until
        :meth:`compact` is called.

        Fails as ``suspended``, ``closed``, ``busy`` or ``io``; nothing is changed in this case.
        """
        return _native_calls.summary(call_native(self._native.remove_school, school))

    def erase_learner(self, school: int, learner: int) -> Summary:
        """Erases a learner: the learner, all records that belong to it (its subjects, marks,
        absences and discipline), and their remains in unused pages of the file. Parents and
        accountable persons are not erased, because they are other people, unless the store follows
        some learners of the school and no other one refers to them.

        Fails as ``suspended`` or ``closed``; as ``busy`` if a change or a backup does not finish
        in time; or as ``io``. Call it again if it fails as ``busy`` or ``io``. An export or feed
        that is not read completely within five seconds fails as ``reader_ended``.
        """
        return _native_calls.summary(call_native(self._native.erase_learner, school, learner))

    def sync(
        self,
        school: int,
        *,
        days_from: Optional[Day] = None,
        utc_offset: Optional[str] = None,
        most_in_flight: Optional[int] = None,
        rotate: Optional[int] = None,
        outbox: Optional[str] = None,
    ) -> Sync:
        """Starts a sync, which fills a school from the service. An unfinished pass is resumed.
        Afterwards, questions about data that was not fetched fail as ``not_synced``, and requests
        are answered with 503. This method sends nothing: pass the result to
        :func:`rollbook.httpx.sync_with` or one of the similar functions.

        ``days_from`` is the first day of the absences and discipline records to sync; the default
        is a month before today, and the limit is ten years before today. ``utc_offset`` is the
        school's offset from UTC as ``±HH:MM``, which no answer of the service contains. It
        determines the current date of the school. The default is the offset that is stored with
        the school, which is ``+02:00`` at first. ``most_in_flight`` is the number of calls that
        may be in flight at once; the default is 4. While the service answers 429, the sync allows
        fewer. ``rotate`` is the number of answers that seldom change which a pass requests again,
        the oldest first; the default is 25. ``outbox`` is the user name of the integrator whose
        credentials the calls use, if state updates of that integrator are accepted and sent. A
        requested state is visible at once, and is reset if the service refuses it. Without this
        option, state updates of a synced school are refused.

        Fails as ``bad_argument`` or ``unsupported`` if an option is invalid; as ``unsupported`` if
        the school follows another store; as ``busy``, ``suspended``, ``closed`` or ``io``.
        """
        options = _sync.options(days_from, utc_offset, most_in_flight, rotate, outbox)
        return Sync(call_native(self._native.sync, school, options))

    def synced(self, school: int) -> Optional[Coverage]:
        """Returns the coverage of a synced school: which data was fetched, and when. Returns None
        for any other school.

        Fails as ``suspended`` or ``closed``; as ``io`` or ``corrupt`` if the store fails.
        """
        return _sync.coverage(call_native(self._native.synced, school))

    def forget_sync(self, school: int) -> None:
        """Ends the sync of a school. Its records remain, and count as complete: data that was not
        fetched is answered as if it did not exist. From then on, the app may change the records. A
        school that is not synced remains unchanged.

        Fails as ``busy`` or ``io``; nothing is changed in this case.
        """
        call_native(self._native.forget_sync, school)

    def feed(self, scope: Scope, after: Optional[str] = None) -> Feed:
        """Returns the feed that brings a follower of a scope from a position to the current state.
        Without a position, the feed contains the whole scope.

        Fails as ``resync_required`` if the text is not a position; as ``not_synced`` if the first
        pass of the sync of a school has not published anything yet; as ``unsupported`` if the name
        of a kind is unknown, if the scope contains too many learners and schools, or if this store
        follows another one and the scope contains more than it has.
        """
        return Feed(call_native(self._native.feed, native_scope(scope), after))

    def observe_feed(self, scope: Scope) -> LiveFeed:
        """Observes the feeds of a scope, for servers that delay their answer until something
        changes::

            with engine.observe_feed(scope) as feeds:
                feed = feeds.next(after, wait=50)

        The live feed ends when the engine is closed; while the engine is suspended, it waits.
        Fails as ``unsupported`` if the name of a kind is unknown.
        """
        return LiveFeed(self._observing("observe_feed"), scope)

    def follow(self) -> Follow:
        """Begins to apply a feed of another store to this one. :func:`rollbook.httpx.follow_from`
        and similar functions fetch a feed over HTTP and apply it.

        Schools that are followed belong to the source, and so do the lists that are the same for
        all schools: :meth:`apply` refuses their records as ``synced``, except for client
        integrations. A question about data outside the scope fails as ``not_synced``.
        :meth:`remove_school` removes a followed school, and :meth:`forget_sync` turns it into a
        school of the app.
        """
        return Follow(call_native(self._native.follow))

    def followed(self) -> Optional[str]:
        """Returns the position of this store in the history of the store that it follows, which is
        the position for requesting the next feed. Returns None if it does not follow another
        store. Fails as ``suspended`` or ``closed``."""
        position: Optional[str] = call_native(self._native.followed)
        return position

    def export(self, *, credentials: bool = False, scope: Optional[Scope] = None) -> Export:
        """Begins an export of all records, or of the records in a scope. Iterate over the result.

        ``credentials`` determines whether the export contains the integrators and their password
        hashes; they are not part of any scope. Fails as ``suspended`` or ``closed``, and as
        ``unsupported`` if the name of a kind in the scope is unknown.
        """
        if scope is None:
            return Export(call_native(self._native.export, _credentials(credentials)))
        if credentials:
            raise ValueError("a scope contains no integrators: omit the credentials")
        return Export(call_native(self._native.export_scope, native_scope(scope)))

    def export_pseudonymised(self, key: bytes) -> Export:
        """Begins an export of all records under pseudonyms, for tests, or for readers who need the
        structure of a school but not its people.

        Ids, texts and dates are replaced, and the same ``key`` always results in the same
        pseudonyms. Order, relations, lengths and the differences between dates remain. Therefore a
        request with the new ids, names and days has the same status and the same number of
        records. Integrators are omitted. The export is not anonymous: someone who knows some of
        the people can find them, and names can be solved like a cryptogram.

        ``key`` consists of 32 random bytes, for example from :func:`secrets.token_bytes`; store it
        secretly or discard it. Fails as ``suspended`` or ``closed``, and as ``bad_argument`` if
        the key does not have 32 bytes.
        """
        return Export(call_native(self._native.export_pseudonymised, key))

    def verify(self) -> Verification:
        """Checks the whole store for damage and for inconsistent records. Changes nothing;
        questions are answered meanwhile.

        Damage is part of the result and not an error. Fails as ``busy`` if a change does not
        finish in time.
        """
        found = call_native(self._native.verify)
        return Verification(found.records, found.problems)

    def compact(self) -> None:
        """Returns free space to the file system, and removes all remains of removed records from
        the file. Questions wait meanwhile, and the file temporarily needs up to twice the space.

        Fails as ``busy`` if a change or a backup does not finish in time; as ``io`` if there is
        not enough space; as ``corrupt`` if the file is damaged; as ``missing`` if it was deleted
        or replaced. In these cases the store remains unchanged. An export or feed that is not read
        completely within five seconds fails as ``reader_ended``.
        """
        call_native(self._native.compact)

    def backup(self, path: Union[str, "os.PathLike[str]"], *, credentials: bool) -> None:
        """Writes a copy of the current state of the store to a new file. Changes and questions
        continue meanwhile. Only the owner of the file can read it, because it contains personal
        data, and password hashes if ``credentials`` is true.

        Until the copy is complete, its name is ``rollbook-….part``, in the same folder. If the
        process is killed meanwhile, that file remains and contains personal data: remove it.

        Fails as ``exists`` if there is a file at the path, and as ``io`` if the copy cannot be
        written. In the latter case nothing remains at the path.
        """
        call_native(self._native.backup, os.fspath(path), _credentials(credentials))

    def suspend(self) -> None:
        """Closes the file and releases its lock until :meth:`resume` is called, as a mobile app
        must when it is moved to the background. Calls fail as ``suspended`` meanwhile.

        Fails as ``busy`` if a change or a backup does not finish in time, and as ``unsupported``
        if the store is in memory. An export or feed that is not read completely within five
        seconds fails as ``reader_ended``.
        """
        call_native(self._native.suspend)

    def resume(self) -> None:
        """Opens the file again after :meth:`suspend`. The store that is now at the path is opened.
        Does nothing if the engine is not suspended.

        Fails as :meth:`open` does, but as ``missing`` if there is no file, because none is
        created.
        """
        call_native(self._native.resume)

    def stats(self) -> Stats:
        """Returns the size of the store and the number of its records. Fails as ``suspended`` or
        ``closed``."""
        stats = call_native(self._native.stats)
        return Stats(stats.bytes, stats.records)

    def close(self) -> None:
        """Closes the store and its file. Every later call fails as ``closed``. Closing again has
        no effect.

        Fails as ``busy`` if a load does not finish in time.
        """
        call_native(self._native.close)

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
    journal_bytes: Optional[int],
) -> Any:
    return _native.Options(
        cache_bytes=cache_bytes,
        fixed_clock=seconds(fixed_clock),
        page_limit=page_limit,
        max_page_limit=max_page_limit,
        journal_bytes=journal_bytes,
    )


_optional_text = _direct.optional(_direct.text)
_optional_number = _direct.optional(_direct.number)


def _headers(given: Any) -> Tuple[Header, ...]:
    return tuple((header.name, header.value) for header in given.headers)


def _credentials(keep: bool) -> Any:
    return _native.Credentials.KEEP if keep else _native.Credentials.LEAVE_OUT
