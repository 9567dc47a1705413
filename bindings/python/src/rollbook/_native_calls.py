"""Calls of the generated module, whose records and errors are converted to the types of this
package.

Frequent calls use :mod:`rollbook._direct` instead.
"""

from types import TracebackType
from typing import Any, Callable, Dict, NoReturn, Optional, Tuple, Type, TypeVar

from rollbook import errors, report
from rollbook._native import rollbook as _generated

T = TypeVar("T")

native: Any = _generated
"""The generated module. Its types are not those of this package."""


def _release_if_loaded(of: Any) -> None:
    """Lets objects of a generated class end after the generated module. Python may clear that
    module first when a process ends, for example in a frozen program."""
    release, names = of.__del__, vars(native)

    def release_if_loaded(self: Any) -> None:
        if names.get("_uniffi_rust_call") is not None:
            release(self)

    of.__del__ = release_if_loaded


for _class in [each for each in vars(native).values() if hasattr(each, "__del__")]:
    _release_if_loaded(_class)

CASES: Tuple[str, ...] = tuple(name for name in vars(native.RollbookError) if name[0].isupper())
"""The names of the engine's errors, in the order of their numbers."""

_ERRORS: Dict[str, Type[errors.RollbookError]] = {
    error.__name__: error for error in errors.RollbookError.__subclasses__()
}


def error(case: str, message: str) -> errors.RollbookError:
    """Returns the error of the engine with this name of its case."""
    return _ERRORS[case + "Error"](message)


class NotCopyable:
    """An object that owns a resource of the library. It cannot be copied, because the resource
    would be released twice."""

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name} cannot be copied or pickled: it exists only in this process")


class Cancellable(NotCopyable):
    """An operation that continues until it ends or is cancelled. As a context manager it is
    cancelled at the end of the block if it has not ended."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def cancel(self) -> None:
        """Cancels it. Does nothing if it has ended."""
        call_native(self._native.cancel)

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.cancel()


def call_native(method: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a method of the generated module, and converts its errors."""
    for argument in arguments:
        if isinstance(argument, str):
            # A text that is not valid Unicode must be refused here. The generated module would
            # refuse it only after it has cloned the handle of the engine, which is then never
            # released.
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
