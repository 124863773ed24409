"""What schemathesis draws from the API's own document gets the answers that the document says.

Ten requests are drawn for each operation, the same in each run. As many as
SCHEDULER_LIB_TEST_SCHEMATHESIS_EXAMPLES says are drawn anew each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from falcon.testing import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler_lib.api import openapi
from scheduler_lib.api.app import PlacementApp
from scheduler_lib.api.operations import Operation
from scheduler_lib.api.routes import OPERATIONS
from scheduler_lib.api.schemas import examples
from scheduler_lib.testing.api import Typed, make_app

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis is not installed; it is in the tox environment conformance"
)

ASKED = os.environ.get("SCHEDULER_LIB_TEST_SCHEMATHESIS_EXAMPLES")
EXAMPLES = int(ASKED or 10)
CONFIG = schemathesis.Config.from_path(Path(__file__).parent / "schemathesis.toml")
HEADERS = {"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.39"}
# Only other services may use the reshaper. Of who says such a role, any token is believed.
SERVICE = {**HEADERS, "X-Roles": "service"}
NEWEST = [item for item in OPERATIONS if item.covers(39)]
UNKNOWN = "b4a634fd-0dcc-4a3a-8f8d-4367960e1307"

PATHS = {
    "uuid": st.sampled_from([examples.HOST, examples.NUMA, examples.DISKS, UNKNOWN]),
    "consumer_uuid": st.sampled_from([examples.INSTANCE, examples.OTHER, UNKNOWN]),
    "resource_class": st.sampled_from(["VCPU", "MEMORY_MB", "CUSTOM_FPGA", "CUSTOM_NONE"]),
    "name": st.sampled_from(["VCPU", "CUSTOM_LICENSE", "HW_CPU_X86_AVX2", "CUSTOM_GOLD", "CUSTOM"]),
}
_TRAITS = st.lists(
    st.sampled_from(["CUSTOM_GOLD", "!CUSTOM_GOLD", "HW_CPU_X86_AVX2", "!HW_CPU_X86_AVX"]),
    min_size=1,
    max_size=3,
).map(",".join)
_KINDS = {
    "resources": st.sampled_from(["VCPU:1", "VCPU:2,MEMORY_MB:512", "CUSTOM_FPGA:1", "VCPU:9999"]),
    "required": _TRAITS | _TRAITS.map(lambda text: "in:" + text.replace("!", "")),
    "member_of": st.sampled_from([examples.SHARED, f"!{examples.SHARED}", f"in:{UNKNOWN}"]),
    "in_tree": PATHS["uuid"],
}
_SUFFIXED = {f"{kind}{suffix}": _KINDS[kind] for suffix in ("1", "_B") for kind in _KINDS}
_WIDE = {
    "limit": st.sampled_from(["1", "1000"]),
    "group_policy": st.sampled_from(["none", "isolate"]),
    "root_required": _TRAITS,
    "same_subtree": st.sampled_from(["1", "1,_B"]),
}
QUERIES = {
    "/allocation_candidates": st.fixed_dictionaries({}, optional={**_KINDS, **_SUFFIXED, **_WIDE}),
    "/resource_providers": st.fixed_dictionaries({}, optional=_KINDS),
    "/traits": st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["in:CUSTOM_GOLD,CUSTOM_NONE", "startswith:CUSTOM_"]),
            "associated": st.sampled_from(["true", "False"]),
        },
    ),
    "/usages": st.fixed_dictionaries(
        {"project_id": st.sampled_from([examples.PROJECT, "other"])},
        optional={"consumer_type": st.sampled_from(["all", "unknown", "INSTANCE"])},
    ),
}


def named(item: Operation) -> str:
    return f"{item.method} {item.path}"


@pytest.fixture
def app() -> Iterator[PlacementApp]:
    """Give a service in which there are providers, inventories, traits and consumers."""
    with make_app() as application:
        client = TestClient(Typed(application), headers=HEADERS)
        for example in examples.STORY:
            if example.method in ("POST", "PUT") and example.path != "/reshaper":
                body = None if example.body is None else orjson.dumps(example.body)
                kind = {"content-type": "application/json"}
                client.simulate_request(example.method, example.path, body=body, headers=kind)
        yield application


@st.composite
def cases(draw: st.DrawFn, operation: Any, item: Operation) -> Any:
    """Draw a request: wrong in some way, right but about nothing, or about what there is."""
    mode = schemathesis.GenerationMode
    if draw(st.booleans()):
        return draw(operation.as_strategy(generation_mode=mode.NEGATIVE))
    case = draw(operation.as_strategy(generation_mode=mode.POSITIVE))
    if draw(st.integers(0, 3)):
        for name in case.path_parameters or {}:
            case.path_parameters[name] = draw(PATHS[name])
        if item.path in QUERIES and item.query is not None:
            case.query = draw(QUERIES[item.path])
    return case


@pytest.mark.timeout(600 + EXAMPLES)
@pytest.mark.parametrize("item", NEWEST, ids=named)
def test_answers_are_those_of_the_document(item: Operation, app: PlacementApp) -> None:
    schema = schemathesis.openapi.from_wsgi(openapi.PATH, app, config=CONFIG)
    operation = schema[item.path][item.method]

    @settings(
        max_examples=EXAMPLES,
        derandomize=ASKED is None,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(operation, item))
    def check(case: Any) -> None:
        if item.path == "/reshaper":
            ignored = schemathesis.checks.ignored_auth
            case.call_and_validate(headers=SERVICE, excluded_checks=[ignored])
        else:
            case.call_and_validate(headers=HEADERS)

    check()
