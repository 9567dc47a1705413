"""Questions of a trusted app, which need no credentials and no activation.

Schools are identified by their login id. Dates are :class:`datetime.date` or texts of the form
``YYYY-MM-DD``.
"""

import dataclasses
import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Callable, Dict, Literal, Optional, Sequence, Union, get_type_hints

from rollbook import _direct, _native_calls
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
"""The names that :mod:`rollbook` exports too."""

Day = Union[date, str]
"""A date, or its text of the form ``YYYY-MM-DD``."""


Status = Union[LearnerStatus, Literal["current", "left", "waitlist"]]
"""The status of a learner, or its name."""

NamedList = Union[LookupList, Literal["ethnic_group", "marital_status", "gender", "language"]]
"""A lookup list that is the same for all schools, or its name."""


def _day(value: Day) -> bytes:
    return _direct.text(value.isoformat() if isinstance(value, date) else value)


def _member(members: Any) -> Callable[[Any], bytes]:
    """Returns a function that encodes a member of an enum by its position. The engine declares the
    members in the same order."""
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
"""The enums of fields whose values are checked when the question is created."""


class Question:
    """A question of a trusted app. Its subclasses are the questions."""

    def _encode_call(self, call: bytes, rest: bytes) -> bytes:
        """Encodes a direct call with the question and its other arguments."""
        raise NotImplementedError


@dataclass(frozen=True)
class Learners(Question):
    """Get Learner(s) (4.1): learner records (2.1), ordered by id. A record must match all
    filters."""

    school: int
    """The school's login id."""
    status: Optional[Status] = None
    """Selects learners of this status. The default is current."""
    since: Optional[Day] = None
    """The first transfer date, for learners who left. The default is a month before ``until``."""
    until: Optional[Day] = None
    """The last transfer date, for learners who left. The default is today."""
    learner_id: Optional[int] = None
    """Selects one learner."""
    grade_ids: Sequence[int] = ()
    """Selects learners of these grades, or of all grades if it is empty."""
    include_parents: bool = False
    """Adds an array of the parents (2.2) to each learner."""
    name: Optional[str] = None
    """Selects learners whose first name, last name, or both separated by a space, contain this
    text. The comparison ignores case and accents."""
    family_code: Optional[int] = None
    """Selects learners with this family code."""


@dataclass(frozen=True)
class AssessmentMarks(Question):
    """Get Learner Assessment Marks (4.2): nested objects by grade, year, term, learner, subject,
    learning outcome and assessment (2.6). One of ``learner_id`` and ``grade_id`` is required. The
    answer contains only marks that are released."""

    school: int
    """The school's login id."""
    learner_id: Optional[int] = None
    """Selects one learner."""
    grade_id: Optional[int] = None
    """Selects one grade."""
    subject_id: Optional[int] = None
    """Selects one subject."""
    year: Optional[int] = None
    """The year. The default is the school's current year."""
    term: Optional[int] = None
    """Selects one term."""
    learning_outcome_id: Optional[int] = None
    """Selects one learning outcome."""
    assessment_id: Optional[int] = None
    """Selects one assessment."""
    structure: bool = False
    """Returns only the structure without marks, whether they are released or not."""


@dataclass(frozen=True)
class SubjectsPerTerm(Question):
    """Get Learner Subjects Per Term (4.3): the learner's subjects of the current year (2.4),
    ordered by subject, each with its terms in order."""

    school: int
    """The school's login id."""
    learner_id: int
    """The learner."""


@dataclass(frozen=True)
class SubjectMarks(Question):
    """Get Learner Subject Marks (4.4): the learner's subjects of the current year that have a term
    mark (2.5), ordered by subject, each with its marks by term."""

    school: int
    """The school's login id."""
    learner_id: int
    """The learner."""


@dataclass(frozen=True)
class LearnerSubjects(Question):
    """Get Learner Subjects (4.5): one record for each learner and subject of the current year
    (2.3), ordered by learner, then subject. The answer contains the subjects of all current
    learners, or those of one learner, regardless of the learner's status."""

    school: int
    """The school's login id."""
    learner_id: Optional[int] = None
    """Selects one learner."""


@dataclass(frozen=True)
class Schools(Question):
    """Get Schools (4.6): the schools that have authorised the integrator (2.8), ordered by id, or
    one of them."""

    username: str
    """The integrator's user name."""
    school: Optional[int] = None
    """Selects one school."""


@dataclass(frozen=True)
class Clients(Question):
    """Get Clients (4.7): one record for each school and API type for which the integrator is
    authorised (2.9), ordered by school, then API type."""

    username: str
    """The integrator's user name."""
    school: Optional[int] = None
    """Selects one school."""
    api_type_id: Optional[int] = None
    """Selects one API type."""


@dataclass(frozen=True)
class Absentees(Question):
    """Get Learner Absentees (4.9): absentee records (2.7) of learners of any status, ordered by
    date, then id."""

    school: int
    """The school's login id."""
    id: Optional[int] = None
    """Selects one record, regardless of its date."""
    learner_id: Optional[int] = None
    """Selects one learner."""
    from_date: Optional[Day] = None
    """The first day. The default is a month before ``to_date``."""
    to_date: Optional[Day] = None
    """The last day, at most 31 days after the first. The default is today."""


@dataclass(frozen=True)
class FinanceLearners(Question):
    """Learners of the finance family (section 9), ordered by id, with their account, their parents
    and the accountable person. A record must match all filters."""

    school: int
    """The school's login id."""
    learner_id: Optional[int] = None
    """Selects one learner."""
    debtor_code: Optional[str] = None
    """Selects learners with this debtor code; ``007`` matches ``7``."""
    accountable_person_id: Optional[int] = None
    """Selects learners for whom this person is accountable."""
    parent_id: Optional[int] = None
    """Selects learners of this parent."""
    all_accounts: bool = False
    """Selects all learners, instead of only those with open accounts. Unless the data states
    otherwise, the accounts of current learners are open."""
    include_parents: bool = False
    """Adds an array of the parents (2.2) to each learner."""
    include_accountable_person: bool = False
    """Adds the accountable person to each learner."""


@dataclass(frozen=True)
class AccountablePersons(Question):
    """Accountable Persons of the finance family (section 9): the persons who pay for learners,
    ordered by id. A record must match all filters."""

    school: int
    """The school's login id."""
    debtor_code: Optional[str] = None
    """Selects persons with this debtor code; ``007`` matches ``7``."""
    accountable_person_id: Optional[int] = None
    """Selects one person."""
    all_accounts: bool = False
    """Selects all persons and all their learners, instead of only those with open accounts. Unless
    the data states otherwise, the accounts of current learners and of the persons accountable for
    them are open."""
    include_learners: bool = False
    """Adds an array of the learners for whom the person is accountable to each record."""


@dataclass(frozen=True)
class Parents(Question):
    """Get Parents: the parents of current learners (2.2), each of them once, ordered by id, or one
    parent, regardless of the learners."""

    school: int
    """The school's login id."""
    parent_id: Optional[int] = None
    """Selects one parent, whether of a current learner or not."""


@dataclass(frozen=True)
class StaffMembers(Question):
    """Get Staff Members: the current staff of a school, ordered by id, or one member, whether
    current or not."""

    school: int
    """The school's login id."""
    staff_member_id: Optional[int] = None
    """Selects one member of the staff, whether current or not."""


@dataclass(frozen=True)
class SchoolInfo(Question):
    """Get School: the information that a school publishes about itself, as one object."""

    school: int
    """The school's login id."""


@dataclass(frozen=True)
class Discipline(Question):
    """Get Learner Discipline: the merits and demerits of learners of any status, ordered by date,
    then id."""

    school: int
    """The school's login id."""
    id: Optional[int] = None
    """Selects one record, regardless of its date."""
    learner_id: Optional[int] = None
    """Selects one learner."""
    from_date: Optional[Day] = None
    """The first day. The default is a month before ``to_date``."""
    to_date: Optional[Day] = None
    """The last day, at most 31 days after the first. The default is today."""


@dataclass(frozen=True)
class Grades(Question):
    """The lookup list of grades: ids and names of a school's grades, ordered by id, or one of
    them."""

    school: int
    """The school's login id."""
    grade_id: Optional[int] = None
    """Selects one grade."""


@dataclass(frozen=True)
class Lookup(Question):
    """A lookup list that is the same for all schools: the ids and names of its records, ordered by
    id, or one of them."""

    list: NamedList
    """The list to read."""
    id: Optional[int] = None
    """Selects one of its records."""


def _compile(question: Any, number: bytes) -> None:
    """Generates the constructor and ``_encode_call`` of a question. A frozen dataclass sets each
    field by a call, and a loop over the fields takes longer than most answers."""
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
        "def _encode_call(self, call, rest):\n"
        "    its = self.__dict__\n"
        f"    return _join(({', '.join(parts)}, rest))\n"
    )
    exec(written, known)
    init, encode = known["__init__"], known["_encode_call"]
    init.__defaults__, init.__annotations__ = made.__defaults__, made.__annotations__
    for function in (init, encode):
        function.__module__ = __name__
        function.__qualname__ = f"{question.__name__}.{function.__name__}"
        setattr(question, function.__name__, function)


_NEEDED = object()
_CASES = [name for name in vars(_native_calls.native.Question) if name.isupper()]

for _question in Question.__subclasses__():
    _name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", _question.__name__).upper()
    _compile(_question, _direct.case(_CASES.index(_name) + 1))
