"""Direct calls of the engine, for requests and questions that are sent thousands of times a
second.

A direct call is a single call of the library by :mod:`ctypes`, with one buffer for the input
and one for the output. The generated module allocates, fills and frees several buffers for a
question, with a call for each.

Arguments are in the encoding of uniffi: numbers are big-endian, a text is the length of its
UTF-8 in four bytes and the UTF-8, a list is its length in four bytes and the elements, and an
optional value is a byte 0, or a byte 1 and the value. ``ffi/src/call.rs`` describes the calls,
and ``ffi/src/direct.rs`` the replies.
"""

import ctypes
import operator
from collections.abc import Mapping
from ctypes import string_at
from struct import Struct, error as StructError
from typing import Any, Callable, List, Optional, Tuple, Union

from rollbook import _native_calls
from rollbook.instant import Instant, seconds
from rollbook.message import Answer, Headers

REQUEST, REQUESTS, ASK, FIND, PAGE = (bytes([call]) for call in range(5))

_short = Struct(">i").pack
_long = Struct(">Q").pack
_signed = Struct(">q").pack
_EMPTY = _short(0)
NONE = b"\0"
"""An optional value that is absent."""
_LONGEST = 2**31 - 1
# Creates an `Answer` faster than its constructor, which supports default values.
_answer = tuple.__new__

# The head of an `Output`: the address of lent bytes, their capacity, the number of bytes, the
# status, the length of the text of `Allow` at their end, and the outcome of the call. It is
# followed by space for the bytes of a small reply.
_HEAD = Struct("=QQQHHI")
_START = _HEAD.size
_INLINE_BYTES = 4096
_SIZE = _START + _INLINE_BYTES
# The version of this interface and the size of an `Output`, as `rollbook_form` returns them.
_FORM = 2 << 32 | _SIZE
_ONE_OF_MANY = Struct(">HHQ")
# A pointer to lent bytes, which slices copy. Their address is the first field of an `Output`.
_Lent = ctypes.POINTER(ctypes.c_char)

_library = _native_calls.native._UniffiLib
_library.rollbook_form.restype = ctypes.c_uint64
if _library.rollbook_form() != _FORM:
    raise ImportError(
        "rollbook and its library are from different builds: install the package again"
    )
_call = _library.rollbook_call
_call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
_call.restype = None
_give_back = _library.rollbook_give_back
_give_back.argtypes = [ctypes.c_void_p]
_give_back.restype = None

_library.rollbook_listeners.restype = ctypes.c_uint64
listeners: Callable[[], int] = _library.rollbook_listeners
"""Returns the number of listeners that the library may still call or has not finished
releasing."""

# Outputs that no call is using, and that refer to no lent bytes.
_idle: List[Tuple[Any, int]] = []


def _memory() -> Tuple[Any, int]:
    words = (ctypes.c_uint64 * (_SIZE // 8))()
    memory = (ctypes.c_char * _SIZE).from_buffer(words)
    return memory, ctypes.addressof(memory)


def answer_one(engine: int, data: bytes) -> Answer:
    """Makes a call of the engine that returns one answer."""
    try:
        output = _idle.pop()
    except IndexError:
        output = _memory()
    memory, address = output
    # The capacity is unknown until the head is read. A signal handler may raise an exception as
    # soon as the call has returned, and the bytes must be given back then too.
    capacity = 1
    try:
        _call(engine, data, len(data), address)
        lent, capacity, length, status, allow, outcome = _HEAD.unpack_from(memory)
        reply = string_at(lent, length) if capacity else memory[_START : _START + length]
    finally:
        if capacity:
            _give_back(address)
    _idle.append(output)
    if outcome:
        raise failure(outcome, reply)
    if allow:
        return Answer(status, reply[:-allow], reply[-allow:].decode())
    return _answer(Answer, (status, reply, None))


def answer_all(engine: int, requests: List[bytes]) -> List[Answer]:
    """Answers several requests in one call."""
    data = REQUESTS + _short(len(requests)) + b"".join(requests)
    try:
        output = _idle.pop()
    except IndexError:
        output = _memory()
    memory, address = output
    try:
        _call(engine, data, len(data), address)
        _, capacity, length, _, _, outcome = _HEAD.unpack_from(memory)
        reply: Any
        reply, at = (_Lent.from_address(address), 0) if capacity else (memory, _START)
        if outcome:
            raise failure(outcome, reply[at : at + length])
        answers = []
        for _ in requests:
            head = at + _ONE_OF_MANY.size
            status, allow, length = _ONE_OF_MANY.unpack(reply[at:head])
            end = head + length
            at = end + allow
            methods = reply[end:at].decode() if allow else None
            answers.append(_answer(Answer, (status, reply[head:end], methods)))
    finally:
        _give_back(address)
    _idle.append(output)
    return answers


def failure(outcome: int, reply: bytes) -> Exception:
    """Returns the exception for a call without an answer."""
    if outcome != 1:
        return _native_calls.native.InternalError(reply.decode())  # type: ignore[no-any-return]
    case = int.from_bytes(reply[:4], "big") - 1
    return _native_calls.error(_native_calls.CASES[case], reply[8:].decode())


def number(value: Any) -> bytes:
    """Encodes an unsigned number in eight bytes."""
    try:
        return _long(value)
    except StructError:
        raise ValueError(f"{operator.index(value)} is not from 0 to 2**64 - 1") from None


def text(value: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"a text must be str, not {type(value).__name__}")
    utf8 = value.encode()
    return _short(len(utf8)) + utf8


def flag(value: Any) -> bytes:
    return b"\1" if value else b"\0"


def numbers(values: Any) -> bytes:
    # The written elements are counted, because other threads may change `values` meanwhile.
    written = [number(value) for value in values]
    return _short(len(written)) + b"".join(written)


def optional(write: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Returns a function that encodes a value that may be None, and otherwise as ``write``."""
    return lambda value: NONE if value is None else b"\1" + write(value)


def instant(now: Optional[Instant]) -> bytes:
    if now is None:
        return NONE
    at: Any = seconds(now)
    try:
        return b"\1" + _signed(at)
    except StructError:
        number = operator.index(at)
        raise ValueError(f"{number} is not an instant: it must fit into 64 bits") from None


def case(which: int) -> bytes:
    """Encodes the number of an enum's case, starting with 1."""
    return _short(which)


def request(
    target: str,
    method: str,
    headers: Headers,
    body: Union[str, bytes],
    now: Optional[Instant],
) -> bytes:
    """Encodes a request."""
    utf8 = target.encode()
    parts = [_short(len(utf8)), utf8]
    utf8 = method.encode()
    parts += (_short(len(utf8)), utf8)
    if type(headers) is dict or isinstance(headers, Mapping):
        headers = headers.items()
    count = len(parts)
    parts.append(_EMPTY)
    for name, value in headers:
        utf8 = name.encode()
        parts += (_short(len(utf8)), utf8)
        utf8 = value.encode()
        parts += (_short(len(utf8)), utf8)
    # The written headers are counted, as in `numbers`. Each of them has four parts.
    parts[count] = _short((len(parts) - count) // 4)
    if body == b"":
        parts.append(_EMPTY)
    else:
        utf8 = _utf8(body)
        parts += (_short(len(utf8)), utf8)
    parts.append(NONE if now is None else instant(now))
    return b"".join(parts)


def _utf8(body: Any) -> bytes:
    """Returns a body as UTF-8. A body that is not valid UTF-8 is replaced by U+FFFD, because
    neither of them is a JSON object, so that the engine refuses both in the same manner."""
    if not isinstance(body, str):
        if len(body) > _LONGEST:
            raise ValueError(f"a body of {len(body)} bytes is too long: the limit is 65,536")
        try:
            body.decode()
        except UnicodeDecodeError:
            return "\ufffd".encode()
        return bytes(body)
    return body.encode()
