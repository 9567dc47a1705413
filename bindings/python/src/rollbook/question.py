"""Questions of an app that is trusted: no credentials, no activation.

Schools are named by their login id; dates are :class:`datetime.date` or texts of
the form ``YYYY-MM-DD``.
"""

import dataclasses
import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Callable, Dict, Literal, Optional, Sequence, Union, get_type_hints

from rollbook import _crossing, _direct
from rollbook.learner_status import LearnerStatus
from rollbook.lookup_list import LookupList

__all__ = [
    "Absentees",
    "AccountablePersons",
    "AssessmentMarks",
    "Clients",
    "Discipline",
    "FinanceLearners",
    "Grades",
    "LearnerSubjects",
    "Learners",
    "Lookup",
    "Parents",
    "Question",
    "SchoolInfo",
    "Schools",
    "StaffMembers",
    "SubjectMarks",
    "SubjectsPerTerm",
]
"""What :mod:`rollbook` has of these names as well."""

Day = Union[date, str]
"""A date, or its text of the form ``YYYY-MM-DD``."""


Status = Union[LearnerStatus, Literal["current", "left", "waitlist"]]
"""The state of a learner, or its name."""

NamedList = Union[LookupList, Literal["ethnic_group", "marital_status", "gender", "language"]]
"""A list of things that records name, or its name."""


def _day(value: Day) -> bytes:
    return _direct.text(value.isoformat() if isinstance(value, date) else value)


def _member(members: Any) -> Callable[[Any], bytes]:
    """One of an enum, which the engine counts in the order of its own."""
    known = {member: _direct.case(place) for place, member in enumerate(members, 1)}
    return lambda value: known[members(value)]


_WRITE: Dict[Any, Callable[[Any], bytes]] = {
    int: _direct.number,
    str: _direct.text,
    bool: _direct.flag,
    Optional[int]: _direct.optional(_direct.number),
    Optional[str]: _direct.optional(_direct.text),
    Optional[Day]: _direct.optional(_day),
    Optional[Status]: _direct.optional(_member(LearnerStatus)),
    NamedList: _member(LookupList),
    Sequence[int]: _direct.numbers,
}

_CHECK: Dict[Any, Callable[[Any], Any]] = {
    Optional[Status]: LearnerStatus,
    NamedList: LookupList,
}
"""What a field takes whose type says more than what it crosses as."""


class Question:
    """What an app that is trusted may ask: one of the classes below."""

    def _asked(self, call: bytes, rest: bytes) -> bytes:
        """A call with the question and the rest of its arguments, as it crosses."""
        raise NotImplementedError


@dataclass(frozen=True)
class Learners(Question):
    """Get Learner(s) (4.1): learner records (2.1) in the order of their ids. All
    filters must hold."""

    school: int
    """The school."""
    status: Optional[Status] = None
    """Which learners; the current ones unless given."""
    since: Optional[Day] = None
    """Left learners: the first transfer date; a month before ``until`` unless
    given."""
    until: Optional[Day] = None
    """Left learners: the last transfer date; today unless given."""
    learner_id: Optional[int] = None
    """One learner."""
    grade_ids: Sequence[int] = ()
    """Learners of these grades; all if there are none."""
    include_parents: bool = False
    """Gives each learner an array of its parents (2.2)."""
    name: Optional[str] = None
    """A part of the first name, the last name, or both with a blank between; case
    and accents do not matter."""
    family_code: Optional[int] = None
    """Learners with this family code."""


@dataclass(frozen=True)
class AssessmentMarks(Question):
    """Get Learner Assessment Marks (4.2): nested objects by grade, year, term,
    learner, subject, learning outcome and assessment (2.6). One of ``learner_id``
    and ``grade_id`` is needed. Marks are answered once they are released."""

    school: int
    """The school."""
    learner_id: Optional[int] = None
    """One learner."""
    grade_id: Optional[int] = None
    """One grade."""
    subject_id: Optional[int] = None
    """One subject."""
    year: Optional[int] = None
    """The year; the school's current one unless given."""
    term: Optional[int] = None
    """One term."""
    learning_outcome_id: Optional[int] = None
    """One learning outcome."""
    assessment_id: Optional[int] = None
    """One assessment."""
    structure: bool = False
    """The structure alone, without marks: released or not."""


@dataclass(frozen=True)
class SubjectsPerTerm(Question):
    """Get Learner Subjects Per Term (4.3): the learner's subjects of the current
    year (2.4), by subject, each with its terms in order."""

    school: int
    """The school."""
    learner_id: int
    """The learner."""


@dataclass(frozen=True)
class SubjectMarks(Question):
    """Get Learner Subject Marks (4.4): the learner's subjects of the current year
    that have a term mark (2.5), by subject, each with its marks by term."""

    school: int
    """The school."""
    learner_id: int
    """The learner."""


@dataclass(frozen=True)
class LearnerSubjects(Question):
    """Get Learner Subjects (4.5): one record per learner and subject of the current
    year (2.3), by learner, then subject; of the current learners, or of one
    learner, whatever its status."""

    school: int
    """The school."""
    learner_id: Optional[int] = None
    """One learner."""


@dataclass(frozen=True)
class Schools(Question):
    """Get Schools (4.6): the schools that have authorised the integrator (2.8), in
    the order of their ids, or one of them."""

    username: str
    """The integrator's user name."""
    school: Optional[int] = None
    """One school."""


@dataclass(frozen=True)
class Clients(Question):
    """Get Clients (4.7): one record per school and API type that the integrator is
    authorised for (2.9), by school, then API type; or those of one school."""

    username: str
    """The integrator's user name."""
    school: Optional[int] = None
    """One school."""
    api_type_id: Optional[int] = None
    """One API type."""


@dataclass(frozen=True)
class Absentees(Question):
    """Get Learner Absentees (4.9): absentee records (2.7) by date, then id, whatever
    the learners' status."""

    school: int
    """The school."""
    id: Optional[int] = None
    """One record, whatever its date."""
    learner_id: Optional[int] = None
    """One learner."""
    from_date: Optional[Day] = None
    """The first day; a month before ``to_date`` unless given."""
    to_date: Optional[Day] = None
    """The last day, at most 31 days later; today unless given."""


@dataclass(frozen=True)
class FinanceLearners(Question):
    """Get Learners of finance (section 9): learners with their debtor codes, in the
    order of their ids."""

    school: int
    """The school."""
    learner_id: Optional[int] = None
    """One learner."""
    debtor_code: Optional[str] = None
    """Learners with this debtor code; `007` is `7`."""
    accountable_person_id: Optional[int] = None
    """Learners for whom this person is accountable."""
    parent_id: Optional[int] = None
    """Learners of this parent."""
    all_accounts: bool = False
    """Learners of every status, and not the current ones alone."""
    include_parents: bool = False
    """Gives each learner an array of its parents (2.2)."""
    include_accountable_person: bool = False
    """Gives each learner the person accountable for it."""


@dataclass(frozen=True)
class AccountablePersons(Question):
    """Get Accountable Persons of finance (section 9), in the order of their ids."""

    school: int
    """The school."""
    debtor_code: Optional[str] = None
    """Persons with this debtor code; `007` is `7`."""
    accountable_person_id: Optional[int] = None
    """One person."""
    all_accounts: bool = False
    """All persons and all their learners, and not those alone who are accountable
    for a current learner, and the current learners."""
    include_learners: bool = False
    """Gives each person an array of the learners it is accountable for."""


@dataclass(frozen=True)
class Parents(Question):
    """Get Parents: the parents of current learners (2.2), each once, in the order of
    their ids, or one parent, whoever the learners are."""

    school: int
    """The school."""
    parent_id: Optional[int] = None
    """One parent, be it of a current learner or not."""


@dataclass(frozen=True)
class StaffMembers(Question):
    """Get Staff Members: the current staff, in the order of their ids, or one of the
    staff, be it current or not."""

    school: int
    """The school."""
    staff_member_id: Optional[int] = None
    """One member of the staff, current or not."""


@dataclass(frozen=True)
class SchoolInfo(Question):
    """Get School: what a school says of itself, as one object."""

    school: int
    """The school."""


@dataclass(frozen=True)
class Discipline(Question):
    """Get Learner Discipline: what learners were praised or reprimanded for, by date,
    then id, whatever the learners' status."""

    school: int
    """The school."""
    id: Optional[int] = None
    """One record, whatever its date."""
    learner_id: Optional[int] = None
    """One learner."""
    from_date: Optional[Day] = None
    """The first day; a month before ``to_date`` unless given."""
    to_date: Optional[Day] = None
    """The last day, at most 31 days later; today unless given."""


@dataclass(frozen=True)
class Grades(Question):
    """The lookup of grades: ids and names of a school's grades, in the order of the
    ids, or one of them."""

    school: int
    """The school."""
    grade_id: Optional[int] = None
    """One grade."""


@dataclass(frozen=True)
class Lookup(Question):
    """A lookup that is the same for all schools: ids and names, in the order of the
    ids, or one of them."""

    list: NamedList
    """Which list."""
    id: Optional[int] = None
    """One of its records."""


def _compile(question: Any, number: bytes) -> None:
    """Gives a question the functions that every asking takes, written out for its
    fields: a dataclass that is frozen sets each by a call, and a loop over the fields
    takes longer than most answers."""
    made, hints = question.__init__, get_type_hints(question)
    fields = [field.name for field in dataclasses.fields(question)]
    known: Dict[str, Any] = {"_set": object.__setattr__, "_number": number, "_join": b"".join}
    checks, parts = [], ["call", "_number"]
    for name in fields:
        kind, default = hints[name], vars(question).get(name, _NEEDED)
        write = known[f"_write_{name}"] = _WRITE[kind]
        part = f"_write_{name}(its[{name!r}])"
        if default is not _NEEDED:
            known[f"_default_{name}"] = default
            known[f"_usual_{name}"] = write(default)
            part = f"_usual_{name} if its[{name!r}] is _default_{name} else {part}"
        parts.append(part)
        if kind in _CHECK:
            known[f"_check_{name}"] = _CHECK[kind]
            unless = "" if default is _NEEDED else f"if {name} is not _default_{name}: "
            checks.append(f"    {unless}_check_{name}({name})\n")
    given = ", ".join(f"{name!r}: {name}" for name in fields)
    written = (
        f"def __init__(self, {', '.join(fields)}):\n{''.join(checks)}"
        f"    _set(self, '__dict__', {{{given}}})\n"
        "def _asked(self, call, rest):\n"
        "    its = self.__dict__\n"
        f"    return _join(({', '.join(parts)}, rest))\n"
    )
    exec(written, known)
    init, asked = known["__init__"], known["_asked"]
    init.__defaults__, init.__annotations__ = made.__defaults__, made.__annotations__
    for function in (init, asked):
        function.__module__ = __name__
        function.__qualname__ = f"{question.__name__}.{function.__name__}"
        setattr(question, function.__name__, function)


_NEEDED = object()
_CASES = [name for name in vars(_crossing.native.Question) if name.isupper()]

for _question in Question.__subclasses__():
    _name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", _question.__name__).upper()
    _compile(_question, _direct.case(_CASES.index(_name) + 1))
