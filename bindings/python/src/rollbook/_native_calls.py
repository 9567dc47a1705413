"""The generated module, its records and errors given as this package's.

What is asked often goes past it: :mod:`rollbook._direct`.
"""

from types import TracebackType
from typing import Any, Callable, Dict, NoReturn, Optional, Tuple, Type, TypeVar

from rollbook import errors, report
from rollbook._native import rollbook as _generated

T = TypeVar("T")

native: Any = _generated
"""The generated module, whose types are not this package's."""

CASES: Tuple[str, ...] = tuple(name for name in vars(native.RollbookError) if name[0].isupper())
"""The names of the engine's errors, in the order of their numbers."""

_ERRORS: Dict[str, Type[errors.RollbookError]] = {
    error.__name__: error for error in errors.RollbookError.__subclasses__()
}


def error(case: str, message: str) -> errors.RollbookError:
    """An error of the engine, by the name of its case."""
    return _ERRORS[case + "Error"](message)


class Held:
    """What the library holds for this object alone: of a copy it would be let go
    twice."""

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name} cannot be copied or pickled: it lives in this process alone")


class Cancellable(Held):
    """What goes on until it is at its end. As a context manager it is cancelled at the end
    of the block if it is still under way."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def cancel(self) -> None:
        """Gives it up. Does nothing if it is over."""
        called(self._native.cancel)

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.cancel()


def called(method: Callable[..., Any], *arguments: Any) -> Any:
    """Calls the generated module."""
    for argument in arguments:
        if isinstance(argument, str):
            # Refused later, the engine would be held by a call that was never made.
            argument.encode()
    try:
        return method(*arguments)
    except native.RollbookError as failed:
        raise error(type(failed).__name__, str(failed)) from None


def counts(given: Any) -> report.Counts:
    return report.Counts(given.added, given.changed, given.removed, given.unchanged)


def summary(given: Any) -> report.Summary:
    kinds = {kind: counts(of_kind) for kind, of_kind in given.kinds.items()}
    return report.Summary(given.lines, given.bytes, counts(given.total), kinds)


def progress(given: Any) -> report.Progress:
    return report.Progress(given.lines, given.bytes)
