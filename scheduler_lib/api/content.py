"""What a request brings: its query string, its body, and what it accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from falcon import mediatypes

from scheduler_lib.api import validation
from scheduler_lib.api.call import Json, Pairs
from scheduler_lib.api.errors import ApiError, BadRequest
from scheduler_lib.api.operations import Operation, at

if TYPE_CHECKING:
    import falcon

JSON = "application/json"


def pairs(query_string: str) -> Pairs:
    """Return a query string's keys and values, in order.

    :raises ApiError: 400 for what is no UTF-8, and for NUL, which not every database takes.
    """
    if not query_string:
        return ()
    if "%00" in query_string:
        raise BadRequest("Invalid query string parameters: there is a NUL in it")
    try:
        return tuple(parse_qsl(query_string, keep_blank_values=True, errors="strict"))
    except ValueError as error:
        raise BadRequest(f"Invalid query string parameters: {error}") from None


def check_length(environ: dict[str, object], limit_bytes: int) -> None:
    """Go on only with a body that has a content type and is not too long.

    :raises ApiError: 400, or 413.
    """
    length = environ.get("CONTENT_LENGTH")
    if not length:
        return
    try:
        size = int(str(length))
    except ValueError:
        raise BadRequest("content-length header must be an integer") from None
    if size < 0:
        raise BadRequest("content-length header must be an integer that is not negative")
    if size > 0 and not environ.get("CONTENT_TYPE"):
        raise BadRequest("content-type header required when content-length > 0")
    if size > limit_bytes:
        raise ApiError(413, f"The body has {size} bytes; at most {limit_bytes} are taken.")


def check_accept(request: falcon.Request) -> None:
    """Go on only when the caller takes JSON.

    :raises ApiError: 406.
    """
    accept = request.get_header("accept")
    if accept and accept not in (JSON, "*/*") and not _takes_json(accept):
        raise ApiError(406, f"Only {JSON} is provided")


def _takes_json(accept: str) -> bool:
    try:
        return mediatypes.quality(JSON, accept) > 0
    except ValueError:
        # What is no list of media types asks for nothing.
        return True


def check_content_type(request: falcon.Request) -> None:
    """Go on only when the body is said to be JSON.

    :raises ApiError: 415.
    """
    given = (request.content_type or "").partition(";")[0].strip()
    if given.lower() != JSON:
        raise ApiError(
            415,
            f"The media type {given or None} is not supported, use {JSON}",
            sentence=f"The request media type {request.content_type or None} is not supported by "
            "this server.",
        )


def checked_query(operation: Operation, query: Pairs, minor: int, length: int) -> Pairs:
    """Return the query string, if the operation allows it at a microversion.

    :param length: how many characters it was sent in.
    :raises ApiError: 400.
    """
    if operation.query is not None:
        at(operation.query, minor).check(dict(query), "Invalid query string parameters", length)
    return query


def checked_body(
    operation: Operation, request: falcon.Request, minor: int, limit_bytes: int
) -> Json:
    """Return the body, if the operation allows it at a microversion; None where it takes none.

    :raises ApiError: 400, or 413.
    """
    if operation.body is None:
        return None
    body = _read(request, limit_bytes)
    value = validation.parsed(body)
    at(operation.body, minor).check(value, "JSON does not validate", len(body))
    return value


def _read(request: falcon.Request, limit_bytes: int) -> bytes:
    environ = request.env
    try:
        if environ.get("CONTENT_LENGTH") or not environ.get("wsgi.input_terminated"):
            return request.bounded_stream.read()
        # Sent in chunks: nobody has said how long it is, but the server knows where it ends.
        body: bytes = environ["wsgi.input"].read(limit_bytes + 1)
    except OSError:
        # The client broke off, or what it sent are no chunks.
        raise BadRequest("The body cannot be read to its end.") from None
    if len(body) > limit_bytes:
        raise ApiError(413, f"The body is too long; at most {limit_bytes} bytes are taken.")
    return body
