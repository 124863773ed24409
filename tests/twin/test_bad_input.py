"""What is wrong is told to the client as the reference tells it, and is never a 500."""

from __future__ import annotations

import pytest

from tests.twin import names
from tests.twin.bad_input import PROVIDER, cases
from tests.twin.deviations import bad_input_deviation
from tests.twin.exchange import Request, Response, send
from tests.twin.twins import Twins

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(120)]

CASES = dict(cases())
AREAS = sorted({name.partition(":")[0] for name in CASES})


def seeded(twins: Twins) -> None:
    twins.start()
    body = {"name": "p0", "uuid": PROVIDER}
    twins.check(Request("POST", "/resource_providers", body=body))
    body = {"inventories": {"VCPU": {"total": 8}}, "resource_provider_generation": 0}
    twins.check(Request("PUT", f"/resource_providers/{PROVIDER}/inventories", body=body))


def judged(name: str, request: Request, twins: Twins) -> list[str]:
    """Tell what is wrong with the answer to one case."""
    expected, found = twins.both(request)
    if found.status >= 500:
        return [f"{found.status} {found.body[:300]!r}"]
    if bad_input_deviation(name, expected, found) is not None:
        return []
    said = f" ({str(found.error.get('detail'))[-160:]!r})"
    if expected.status != found.status:
        return [f"status {found.status}, not {expected.status}{said}"]
    told = []
    # The type of a body that HEAD does not have is nobody's concern.
    kind = () if request.method == "HEAD" else ("type",)
    for what in ("code", "title", *kind, "allow", "version"):
        one, other = _part(expected, what), _part(found, what)
        if one != other:
            told.append(f"{what} {other!r}, not {one!r}{said}")
    return told


def _part(response: Response, what: str) -> object:
    if what in ("code", "title"):
        return response.error.get(what)
    if what == "allow":
        return sorted(response.headers.get("allow", "").replace(" ", "").split(","))
    return response.headers.get({"type": "content-type", "version": "openstack-api-version"}[what])


@pytest.mark.parametrize("area", AREAS)
def test_bad_input_gets_the_answer_of_the_reference(area: str, twins: Twins) -> None:
    seeded(twins)
    told = []
    for name, request in CASES.items():
        if not name.startswith(f"{area}:"):
            continue
        wrong = judged(name, request, twins)
        told += [f"{name}: {line}" for line in wrong]
        # What was written in between would change the answers to come.
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            seeded(twins)
    assert not told, f"{len(told)} differ:\n" + "\n".join(told)


def test_a_body_of_ten_megabytes_is_refused_without_a_word_of_it(twins: Twins) -> None:
    seeded(twins)
    body = b'{"name": "%s"}' % (b"secret" * 2_000_000)
    found = send(twins.app, Request("POST", "/resource_providers", body=body))
    assert found.status in (400, 413)
    assert len(found.body) < 10_000


def test_the_root_tells_the_versions_without_a_token(twins: Twins) -> None:
    request = Request("GET", "/", version=None, headers={"x-auth-token": None})
    expected, found = twins.both(request)
    assert expected.json == found.json
    assert found.json["versions"][0]["max_version"] == names.VERSIONS[-1]
