"""What changes and care come to."""

from dataclasses import dataclass
from typing import Mapping, Sequence


@dataclass(frozen=True)
class Progress:
    """How much of a dataset has been read."""

    lines: int
    """Lines read so far."""
    bytes: int
    """Bytes read so far."""


@dataclass(frozen=True)
class Counts:
    """How many records a dataset added, changed, removed and left as they were."""

    added: int
    """Records that were not there before."""
    changed: int
    """Records that are other than before."""
    removed: int
    """Records that are gone."""
    unchanged: int
    """Records that the dataset gave as they were."""


@dataclass(frozen=True)
class Summary:
    """What a change came to."""

    lines: int
    """How many lines were read, blank ones included."""
    bytes: int
    """How many bytes were read."""
    total: Counts
    """All kinds together."""
    kinds: Mapping[str, Counts]
    """Each kind that the change had records of, by the name that their ``type``
    bears, in the order of the names."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", dict(sorted(self.kinds.items())))


@dataclass(frozen=True)
class Fault:
    """What is wrong with a line of a dataset."""

    line: int
    """The line, counted from 1."""
    what: str
    """Type, field and what was wrong with it."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass(frozen=True)
class Verification:
    """What a look through the whole store found."""

    records: int
    """How many records were looked at."""
    problems: Sequence[str]
    """What does not agree, the first hundred findings; none if all is well."""


@dataclass(frozen=True)
class Stats:
    """How much the store holds."""

    bytes: int
    """How many bytes the store takes on disk, or in memory."""
    records: Mapping[str, int]
    """How many records of each kind there are, by the name that their ``type``
    bears, in the order of the names."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", dict(sorted(self.records.items())))
