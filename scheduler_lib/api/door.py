"""The door: falcon finds the path, and every request goes through the same steps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from typing import TYPE_CHECKING

import falcon
import orjson

from scheduler_lib.api import content, versions
from scheduler_lib.api.authorization import Authorizer
from scheduler_lib.api.call import Call, Json, Reply
from scheduler_lib.api.errors import STATUS, ApiError, written
from scheduler_lib.api.middleware.request_log import MINOR, REQUEST_ID
from scheduler_lib.api.operations import Operation, by_path
from scheduler_lib.api.service import Service
from scheduler_lib.api.translation import as_api_error
from scheduler_lib.exceptions import SchedulerLibError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOG = logging.getLogger(__name__)

_LAST_MODIFIED_SINCE = 15


def falcon_app(
    operations: Sequence[Operation], service: Service, authorizer: Authorizer
) -> WSGIApplication:
    """Return the WSGI application that answers the operations."""
    app = falcon.App(media_type=content.JSON, middleware=[_Versions(service)])
    app.req_options.auto_parse_qs_csv = False
    # What has no body has no type.
    app.resp_options.default_media_type = None  # type: ignore[assignment]
    door = Door(service, authorizer)
    for path, methods in by_path(operations).items():
        app.add_route(path, _Path(methods, door))
    app.add_error_handler(Exception, _answer_unexpected)
    app.add_error_handler(falcon.HTTPError, _answer_falcon)
    app.add_error_handler(SchedulerLibError, _answer_known)
    app.add_error_handler(ApiError, _answer_error)
    return app


class Door:
    """Takes a request through its steps: version, acceptance, policy, query, body, handler."""

    def __init__(self, service: Service, authorizer: Authorizer) -> None:
        self._service = service
        self._authorizer = authorizer

    def answer(
        self,
        operations: Sequence[Operation],
        request: falcon.Request,
        response: falcon.Response,
        **path: str,
    ) -> None:
        """Answer one request.

        :param operations: what the method means in different microversions.
        :raises ApiError: for what cannot be answered otherwise.
        """
        minor: int = request.env[MINOR]
        operation = _chosen(operations, minor)
        if operation.gives_json:
            content.check_accept(request)
        if operation.body is not None:
            content.check_content_type(request)
        query = content.pairs(request.query_string)
        if operation.rule is not None:
            target = {} if operation.target is None else operation.target(query)
            self._authorizer.check(request.env, operation.rule, target)
        call = Call(
            service=self._service,
            minor=minor,
            deadline=self._service.deadline(),
            path=path,
            query=content.checked_query(operation, query, minor, len(request.query_string)),
            prefix=request.env.get("SCRIPT_NAME", ""),
        )
        if operation.body is not None:
            call = replace(call, body=_body(operation, request, call))
        _write(operation.handler(call), request, response, minor)


class _Path:
    """One path, for falcon: a responder for each method."""

    def __init__(self, methods: Mapping[str, Sequence[Operation]], door: Door) -> None:
        allowed = ", ".join(methods)
        # All that falcon knows, or it would answer the rest itself, with a list of its own.
        for method in falcon.constants.COMBINED_METHODS:
            responder: Callable[..., None] = partial(_refuse, allowed)
            if method in methods:
                responder = partial(door.answer, methods[method])
            setattr(self, f"on_{method.lower()}", responder)


class _Versions:
    """Finds out which microversion is asked for, before anything else."""

    def __init__(self, service: Service) -> None:
        self._limit_bytes = service.settings.max_request_body_bytes

    def process_request(self, request: falcon.Request, response: falcon.Response) -> None:
        """Look at the headers that every request has."""
        minor = versions.asked(request.get_header(versions.HEADER))
        request.env[MINOR] = minor
        response.set_header(versions.HEADER, f"{versions.SERVICE} {versions.text(minor)}")
        response.set_header("vary", versions.HEADER)
        content.check_length(request.env, self._limit_bytes)
        _check_path(request.path)


def _check_path(path: str) -> None:
    """Go on only with a path without empty parts; falcon would take one for a name."""
    if len(path) > 1 and (path.endswith("/") or "//" in path):
        raise ApiError(404, "")


def _chosen(operations: Sequence[Operation], minor: int) -> Operation:
    for operation in operations:
        if operation.covers(minor):
            return operation
    first = operations[0]
    raise _not_allowed(first.method) if first.absent == 405 else ApiError(first.absent, "")


def _body(operation: Operation, request: falcon.Request, call: Call) -> Json:
    limit_bytes = call.service.settings.max_request_body_bytes
    try:
        return content.checked_body(operation, request, call.minor, limit_bytes)
    except ApiError:
        if operation.there is not None:
            operation.there(call)
        raise


def _refuse(allowed: str, request: falcon.Request, response: falcon.Response, **path: str) -> None:
    told = "The method specified is not allowed for this resource."
    raise _not_allowed(request.method, told, {"allow": allowed})


def _not_allowed(method: str, told: str = "", headers: Mapping[str, str] | None = None) -> ApiError:
    sentence = f"The method {method} is not allowed for this resource."
    return ApiError(405, told, headers=headers, sentence=sentence)


def _write(reply: Reply, request: falcon.Request, response: falcon.Response, minor: int) -> None:
    response.status = STATUS[reply.status]
    if reply.location is not None:
        response.set_header("location", f"{request.scheme}://{request.netloc}{reply.location}")
    if reply.modified_at is not None and minor >= _LAST_MODIFIED_SINCE:
        response.set_header("last-modified", formatdate(reply.modified_at, usegmt=True))
        response.set_header("cache-control", "no-cache")
    if reply.body is None:
        response.content_type = None
        return
    response.content_type = content.JSON
    body = reply.body
    response.data = body if isinstance(body, bytes) else orjson.dumps(body)


def _answer_error(
    request: falcon.Request, response: falcon.Response, error: ApiError, params: object
) -> None:
    answer = written(
        error,
        minor=request.env.get(MINOR),
        request_id=request.env.get(REQUEST_ID),
        accept=request.get_header("accept"),
    )
    response.status = STATUS[answer.status]
    response.data = answer.body
    for name, value in answer.headers.items():
        response.set_header(name, value)


def _answer_known(
    request: falcon.Request, response: falcon.Response, error: SchedulerLibError, params: object
) -> None:
    try:
        told = as_api_error(error)
    except SchedulerLibError:
        _answer_unexpected(request, response, error, params)
    else:
        if told.status == 503:
            # What went wrong, and with which database, is the operator's concern.
            LOG.warning("Request %s: %s", request.env.get(REQUEST_ID), error.message)
        _answer_error(request, response, told, params)


def _answer_falcon(
    request: falcon.Request, response: falcon.Response, error: falcon.HTTPError, params: object
) -> None:
    told = ApiError(error.status_code, error.description or "", headers=dict(error.headers or {}))
    _answer_error(request, response, told, params)


def _answer_unexpected(
    request: falcon.Request, response: falcon.Response, error: Exception, params: object
) -> None:
    request_id = request.env.get(REQUEST_ID)
    LOG.error("Request %s failed: %r", request_id, error, exc_info=error)
    told = f"It is in the log of the service as request {request_id}."
    _answer_error(request, response, ApiError(500, told), params)
