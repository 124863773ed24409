"""The harness finds nothing where there is nothing, and each of some deliberate defects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import peers
from tests.twin import claims, names, operations
from tests.twin.conftest import example_settings
from tests.twin.exchange import Request
from tests.twin.queries import queries
from tests.twin.test_random_work import EVERYTHING
from tests.twin.twins import Twins

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]

Headers = list[tuple[str, str]]
Answer = tuple[str, Headers, bytes]


class Defective:
    """The reference with one defect."""

    def __init__(self, app: Any, spoil: Callable[[Answer], Answer]) -> None:
        self._app = app
        self._spoil = spoil

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        told: list[Any] = []
        body = b"".join(self._app(environ, lambda *given: told.extend(given)))
        status, headers, body = self._spoil((told[0], told[1], body))
        start_response(status, headers)
        return [body]

    def forget_empty_consumers(self) -> None:
        self._app.forget_empty_consumers()

    def close(self) -> None:
        self._app.close()


def conflict_is_bad_request(answer: Answer) -> Answer:
    status, headers, body = answer
    return status.replace("409", "400"), headers, body


def no_version(answer: Answer) -> Answer:
    status, headers, body = answer
    return status, [item for item in headers if item[0].lower() != "openstack-api-version"], body


def a_candidate_lost(answer: Answer) -> Answer:
    status, headers, body = answer
    if b"allocation_requests" not in body:
        return answer
    content = json.loads(body)
    del content["allocation_requests"][:1]
    body = json.dumps(content).encode()
    kept = [item for item in headers if item[0].lower() != "content-length"]
    return status, [*kept, ("content-length", str(len(body)))], body


def one_used_too_much(answer: Answer) -> Answer:
    status, headers, body = answer
    return status, headers, body.replace(b'"used": 0', b'"used": 1')


DEFECTS = (conflict_is_bad_request, no_version, a_candidate_lost, one_used_too_much)


@pytest.fixture
def start() -> Iterator[Callable[[Callable[[Answer], Answer]], Twins]]:
    """Makes twins of the reference and a spoilt one."""
    peers.need_reference()
    from tests.twin import reference

    app = reference.make_app()
    made: list[Twins] = []

    def start_(spoil: Callable[[Answer], Answer]) -> Twins:
        made.append(Twins(app, lambda: Defective(reference.make_app(), spoil)))
        return made[-1]

    yield start_
    for twins in made:
        twins.close()
    app.close()


def worked(twins: Twins, examples: int) -> None:
    """Let the twins do some random work."""
    work = st.lists(st.one_of(*EVERYTHING), min_size=10, max_size=20)
    asked = st.lists(st.one_of(queries(), claims.claims()), min_size=8, max_size=12)

    @settings(example_settings(examples), max_examples=examples, derandomize=True)
    @given(operations.trees(), work, asked)
    def run(built: list[Request], work: list[Request], asked: list[Request]) -> None:
        twins.start()
        twins.run([*built, *work, *asked])

    run()


def test_the_reference_is_its_own_twin(start: Callable[..., Twins]) -> None:
    twins = start(lambda answer: answer)
    worked(twins, 4)
    assert twins.history


@pytest.mark.parametrize("spoil", DEFECTS, ids=lambda spoil: spoil.__name__)
def test_a_defect_is_found(spoil: Callable[[Answer], Answer], start: Callable[..., Twins]) -> None:
    with pytest.raises(AssertionError, match="the twins differ"):
        worked(start(spoil), 20)


def test_names_never_change() -> None:
    # What a failure prints can be sent by hand, to any server, also tomorrow.
    assert names.PROVIDERS[0] == "7ea077af-f16c-58ff-bab3-0cef39ddfaee"
