"""The results of changes, of checks and of the inspection of a store."""

from dataclasses import dataclass
from typing import Mapping, Sequence


@dataclass(frozen=True)
class Progress:
    """How much of a dataset has been read."""

    lines: int
    """The number of lines that were read so far."""
    bytes: int
    """The number of bytes that were read so far."""


@dataclass(frozen=True)
class Counts:
    """The number of records that a change added, changed, removed and left unchanged."""

    added: int
    """Records that did not exist before."""
    changed: int
    """Records that differ from before."""
    removed: int
    """Records that were removed."""
    unchanged: int
    """Records of the dataset that were already stored with the same values."""


@dataclass(frozen=True)
class Summary:
    """The result of a change."""

    lines: int
    """The number of lines that were read, including blank ones."""
    bytes: int
    """The number of bytes that were read."""
    total: Counts
    """The counts of all kinds together."""
    kinds: Mapping[str, Counts]
    """The counts of each kind that the change had records of, by the name in their ``type``,
    ordered by name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", dict(sorted(self.kinds.items())))


@dataclass(frozen=True)
class Fault:
    """An error in a line of a dataset."""

    line: int
    """The number of the line, starting with 1."""
    what: str
    """The type, the field, and the error."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass(frozen=True)
class Verification:
    """The result of a check of the whole store."""

    records: int
    """The number of records that were checked."""
    problems: Sequence[str]
    """The first hundred problems that were found. It is empty if the store is sound."""


@dataclass(frozen=True)
class Stats:
    """The size of a store, and the number of its records."""

    bytes: int
    """The size of the store on disk or in memory, in bytes."""
    records: Mapping[str, int]
    """The number of records of each kind, by the name in their ``type``, ordered by name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", dict(sorted(self.records.items())))
