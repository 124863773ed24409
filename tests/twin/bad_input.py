"""What clients should not send, and some do: one table.

Each is sent to a server with one provider (names.PROVIDERS[0], 8 VCPU) in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.twin import names
from tests.twin.exchange import Request

PROVIDER = names.PROVIDERS[0]
CONSUMER = names.CONSUMERS[0]
ROOT = f"/resource_providers/{PROVIDER}"
ALLOCATION = f"/allocations/{CONSUMER}"
HUGE = 2**63
VAST = 10**400
LONG = "x" * 300

Case = tuple[str, Request]


def cases() -> Iterator[Case]:
    """Give a name and a request each."""
    for part in (_bodies, _numbers, _names, _queries, _paths, _headers, _versions):
        for name, request in part():
            yield f"{part.__name__[1:]}: {name}", request


def _claim(**changed: object) -> dict[str, object]:
    return {
        "allocations": {PROVIDER: {"resources": {"VCPU": 1}}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": None,
        "consumer_type": "INSTANCE",
        **changed,
    }


def _bodies() -> Iterator[Case]:
    for name, body in (
        ("empty", b""),
        ("no JSON", b"{"),
        ("not UTF-8", b'{"name": "\xff\xfe"}'),
        ("UTF-16", '{"name": "a"}'.encode("utf-16")),
        ("byte order mark", b'\xef\xbb\xbf{"name": "a"}'),
        ("half a surrogate", b'{"name": "\\ud800"}'),
        ("a zero byte", b'{"name": "a\\u0000b"}'),
        ("NaN", b'{"name": NaN}'),
        ("a list", b"[]"),
        ("a text", b'"name"'),
        ("a number", b"1"),
        ("null", b"null"),
        ("trailing", b'{"name": "a"} x'),
        ("duplicate keys", b'{"name": "a", "name": "b"}'),
        ("deep", b"[" * 5_000 + b"]" * 5_000),
        ("deeper in an object", b'{"name": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
        ("unknown key", b'{"name": "a", "colour": "red"}'),
        ("no name", b"{}"),
    ):
        yield f"provider, {name}", Request("POST", "/resource_providers", body=body)
    for method, path in (
        ("PUT", ROOT),
        ("PUT", f"{ROOT}/inventories"),
        ("POST", f"{ROOT}/inventories"),
        ("PUT", f"{ROOT}/inventories/VCPU"),
        ("PUT", f"{ROOT}/aggregates"),
        ("PUT", f"{ROOT}/traits"),
        ("POST", "/resource_classes"),
        ("PUT", ALLOCATION),
        ("POST", "/allocations"),
        ("POST", "/reshaper"),
    ):
        for body in (b"", b"{", b"[]", b"{}", b"null", b'"x"', b"\xff"):
            yield f"{method} {path} {body!r}", Request(method, path, body=body)
    yield "10 MB", Request("POST", "/resource_providers", body=b'{"name": "%s"}' % (b"x" * 10**7))
    many = json.dumps({"traits": ["CUSTOM_A"] * 50_000, "resource_provider_generation": 1})
    yield "50,000 traits", Request("PUT", f"{ROOT}/traits", body=many.encode())
    twice = b'{"total": 4, "total": 8, "resource_provider_generation": 1}'
    yield "total twice", Request("PUT", f"{ROOT}/inventories/VCPU", body=twice)


def _numbers() -> Iterator[Case]:
    path = f"{ROOT}/inventories/VCPU"
    for name in ("total", "reserved", "min_unit", "max_unit", "step_size"):
        for value in (-1, 2**31 - 1, 2**31, HUGE, VAST, 1.5, 2.0, "1", True, None):
            body = {"total": 8, "resource_provider_generation": 1, name: value}
            yield f"{name} {str(value)[:20]}", Request("PUT", path, body=body)
    for value in (0, -1, 1e-320, 3.5e38, 1e308, VAST, "1", True):
        body = {"total": 8, "resource_provider_generation": 1, "allocation_ratio": value}
        yield f"ratio {str(value)[:20]}", Request("PUT", path, body=body)
    raw = b'{"total": 8, "resource_provider_generation": 1, "allocation_ratio": %s}'
    for text in (b"NaN", b"Infinity", b"-Infinity", b"1e999"):
        yield f"ratio {text!r}", Request("PUT", path, body=raw % text)
    for value in (-1, HUGE, VAST, 1.5, 1.0, "1", True, None):
        name = str(value)[:20]
        generation = {"total": 8, "resource_provider_generation": value}
        yield f"generation {name}", Request("PUT", path, body=generation)
        amount = _claim(allocations={PROVIDER: {"resources": {"VCPU": value}}})
        yield f"amount {name}", Request("PUT", ALLOCATION, body=amount)
        given = _claim(consumer_generation=value)
        yield f"consumer generation {name}", Request("PUT", ALLOCATION, body=given)
        unused = _claim(allocations={PROVIDER: {"resources": {"VCPU": 1}, "generation": value}})
        yield f"unused generation {name}", Request("PUT", ALLOCATION, body=unused)
    for text in ("0", "-1", "01", "1.5", "1e3", str(HUGE), "9" * 400, "", "%00", "%D9%A3"):
        for query in (f"resources=VCPU:{text}", f"resources=VCPU:1&limit={text}"):
            yield query[:60], Request("GET", "/allocation_candidates", query)
        yield f"list {text[:20]}", Request("GET", "/resource_providers", f"resources=VCPU:{text}")


def _names() -> Iterator[Case]:
    for name in ("", LONG, "é" * 200, "\U0001f4a9", "a\u0000", " ", "a/b", "'; --", 5, None):
        yield (
            f"provider {str(name)[:12]!r}",
            Request("POST", "/resource_providers", body={"name": name}),
        )
    for uuid in (
        "",
        "x",
        "g" * 36,
        PROVIDER.upper(),
        PROVIDER.replace("-", ""),
        f"{{{PROVIDER}}}",
        1,
    ):
        body = {"name": "other", "uuid": uuid}
        yield f"uuid {uuid!r}", Request("POST", "/resource_providers", body=body)
        body = {"name": "other", "parent_provider_uuid": uuid}
        yield f"parent {uuid!r}", Request("POST", "/resource_providers", body=body)
    for name in ("CUSTOM_", "CUSTOM_a", "VCPU", "", "CUSTOM_É", "CUSTOM_" + "A" * 250, "A b", 5):
        yield f"class {str(name)[:12]!r}", Request("POST", "/resource_classes", body={"name": name})
        yield f"trait {str(name)[:12]!r}", Request("PUT", f"/traits/{name}")
        yield f"class path {str(name)[:12]!r}", Request("PUT", f"/resource_classes/{name}")
    for name in ("instance", "", "A" * 256, "A-B", 5, None, "INSTANCE\n"):
        claim = _claim(consumer_type=name)
        yield f"type {str(name)[:12]!r}", Request("PUT", ALLOCATION, body=claim)
    for name in ("", "x" * 256, 5, None):
        yield f"project {str(name)[:5]!r}", Request("PUT", ALLOCATION, body=_claim(project_id=name))
    for key in ("x", PROVIDER.replace("-", ""), PROVIDER.upper(), "g" * 36, "a" * 36):
        shares = {key: {"resources": {"VCPU": 1}}}
        yield f"share of {key}", Request("PUT", ALLOCATION, body=_claim(allocations=shares))
        yield f"consumer {key}", Request("POST", "/allocations", body={key: _claim()})
        yield f"consumer path {key}", Request("PUT", f"/allocations/{key}", body=_claim())
    for group in (["x"], [PROVIDER, PROVIDER], [PROVIDER.upper()], [1], "x"):
        body = {"aggregates": group, "resource_provider_generation": 1}
        yield f"aggregates {group}", Request("PUT", f"{ROOT}/aggregates", body=body)


def _queries() -> Iterator[Case]:
    candidates = (
        *(
            "",
            "resources=",
            "resources=VCPU",
            "resources=VCPU:",
            "resources=:1",
            "resources=VCPU:1,",
        ),
        *("resources=VCPU:1:2", "resources=vcpu:1", "resources=NOPE:1", "resources=VCPU:1,VCPU:2"),
        *("resources=VCPU:1&resources=VCPU:2", "resources=VCPU:1&colour=red", "resources"),
        *("resources=VCPU:1&limit=1&limit=2", "resources=VCPU:1&group_policy=maybe"),
        *(
            "resources=VCPU:1&required=",
            "resources=VCPU:1&required=,",
            "resources=VCPU:1&required=!",
        ),
        *(
            "resources=VCPU:1&required=NOPE",
            "resources=VCPU:1&required=in:",
            "resources=VCPU:1&required=in",
        ),
        *("resources=VCPU:1&required=HW_NUMA_ROOT,!HW_NUMA_ROOT", "required=HW_NUMA_ROOT"),
        *(
            "resources=VCPU:1&required=!in:HW_NUMA_ROOT",
            "resources=VCPU:1&required=in:!HW_NUMA_ROOT",
        ),
        *(
            "resources=VCPU:1&member_of=",
            "resources=VCPU:1&member_of=x",
            "resources=VCPU:1&member_of=in:",
        ),
        *(
            f"resources=VCPU:1&member_of={PROVIDER},{PROVIDER}",
            f"resources=VCPU:1&member_of=!{PROVIDER}",
        ),
        *(
            f"resources=VCPU:1&member_of=in:{PROVIDER},x",
            f"resources=VCPU:1&member_of=in:!{PROVIDER}",
        ),
        *("resources=VCPU:1&in_tree=x", "resources=VCPU:1&in_tree=", f"in_tree={PROVIDER}"),
        *("resources1=VCPU:1&resources2=VCPU:1", "resources1=VCPU:1&required2=HW_NUMA_ROOT"),
        *("resources-=VCPU:1", "resources_A-b=VCPU:1", f"resources{'a' * 64}=VCPU:1"),
        *(
            f"resources{'a' * 65}=VCPU:1",
            "resourcesé=VCPU:1",
            "resources%00=VCPU:1",
            "resources 1=VCPU:1",
        ),
        *("resources1=VCPU:1&same_subtree=1", "resources1=VCPU:1&same_subtree=2", "same_subtree=1"),
        *(
            "resources1=VCPU:1&same_subtree=",
            "resources1=VCPU:1&same_subtree=1,1",
            "same_subtree=,",
        ),
        *("resources=VCPU:1&root_required=", "resources=VCPU:1&root_required=NOPE"),
        *("resources=VCPU:1&root_required=in:HW_NUMA_ROOT", "root_required=HW_NUMA_ROOT"),
        *("resources=VCPU:1&root_required=HW_NUMA_ROOT&root_required=HW_NUMA_ROOT",),
        *(
            "resources=%FF",
            "resources=VCPU%3A1",
            "resources=VCPU:1&x=%C3%28",
            "%FF=1",
            "resources=%",
        ),
        *("resources=VCPU:1;limit=1", "resources=VCPU:1&&limit=1", "&", "=", "resources=VCPU:%201"),
        *("resources=VCPU:1&" + "&".join(f"k{number}=1" for number in range(10_000)),),
        *("&".join(f"resources{number}=VCPU:1" for number in range(1, 300)),),
        *("resources=VCPU:1&required=" + ",".join(["HW_NUMA_ROOT"] * 2_000),),
    )
    for query in candidates:
        yield f"candidates ?{query[:70]}", Request("GET", "/allocation_candidates", query)
    for query in (
        *(
            "name=",
            "name=a&name=b",
            "uuid=x",
            "uuid=",
            "in_tree=x",
            "colour=red",
            "resources=NOPE:1",
        ),
        *("required=NOPE", "member_of=x", "member_of=", "name=%FF", f"name={LONG}", "limit=1"),
    ):
        yield f"providers ?{query[:40]}", Request("GET", "/resource_providers", query)
    for query in (
        *("name=x", "name=in:", "name=startswith:", "name=in", "associated=maybe", "associated="),
        *("associated=true&associated=false", "colour=red", "name=in:A&name=in:B", "name=%FF"),
    ):
        yield f"traits ?{query}", Request("GET", "/traits", query)
    for query in (
        *("", "project_id=", "user_id=u", f"project_id={LONG}", "project_id=p&colour=red"),
        *(
            "project_id=p&consumer_type=",
            "project_id=p&consumer_type=x",
            "project_id=p&project_id=q",
        ),
        *(f"project_id=p&consumer_type={'A' * 256}", "project_id=%FF"),
    ):
        yield f"usages ?{query[:40]}", Request("GET", "/usages", query)
    for path in (ROOT, f"{ROOT}/inventories", "/resource_classes", "/", ALLOCATION):
        yield f"{path} ?colour", Request("GET", path, "colour=red")


def _paths() -> Iterator[Case]:
    for path in (
        *(
            "/nowhere",
            "//",
            "/resource_providers/",
            "/resource_providers//",
            f"{ROOT}/",
            f"{ROOT}//x",
        ),
        *("/resource_providers/x", "/resource_providers/%FF", "/resource_providers/%00"),
        *(
            f"/resource_providers/{PROVIDER.upper()}",
            f"/resource_providers/{PROVIDER.replace('-', '')}",
        ),
        *(
            f"{ROOT}/nowhere",
            f"{ROOT}/inventories/",
            f"{ROOT}/inventories/NOPE",
            f"{ROOT}/inventories/%E2%98%83",
        ),
        *(
            "/traits/%FF",
            "/traits/NOPE",
            "/resource_classes/NOPE",
            "/resource_classes/%2F",
            "/allocations/x",
        ),
        *(
            "/allocations/%FF",
            f"/allocations/{LONG}",
            f"/resource_providers/{'x' * 5000}",
            "/%E2%98%83",
        ),
        *("/../resource_providers", "/resource_providers;x", "/RESOURCE_PROVIDERS", "/allocations"),
    ):
        yield f"GET {path[:60]}", Request("GET", path)
        yield f"DELETE {path[:60]}", Request("DELETE", path)
    for path in (
        *(
            "/",
            "/resource_providers",
            ROOT,
            f"{ROOT}/inventories",
            f"{ROOT}/usages",
            "/traits",
            "/usages",
        ),
        *("/allocations", ALLOCATION, "/allocation_candidates", "/reshaper", "/resource_classes"),
    ):
        for method in ("PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "get"):
            yield f"{method} {path}", Request(method, path)


def _headers() -> Iterator[Case]:
    body = {"name": "new"}
    for name, headers in (
        ("no type", {"content-type": None}),
        ("empty type", {"content-type": ""}),
        ("text", {"content-type": "text/plain"}),
        ("charset", {"content-type": "application/json; charset=utf-8"}),
        ("latin", {"content-type": "application/json; charset=latin-1"}),
        ("upper case", {"content-type": "Application/JSON"}),
        ("other JSON", {"content-type": "application/vnd.api+json"}),
        ("nonsense type", {"content-type": ";;;"}),
        ("no length", {"content-length": None}),
        ("length no number", {"content-length": "ten"}),
        ("length below zero", {"content-length": "-1"}),
        ("length too small", {"content-length": "3"}),
    ):
        request = Request("POST", "/resource_providers", body=body, headers=headers)
        yield f"POST, {name}", request
    for accept in (
        *(
            "",
            "*/*",
            "text/html",
            "text/plain",
            "application/xml",
            "application/*",
            "nonsense",
            ";;",
        ),
        *(
            "application/json;q=0",
            "text/html, application/json;q=0.5",
            "application/json; v=1",
            ",",
        ),
    ):
        for path in ("/resource_providers", f"/resource_providers/{names.NOBODY}", "/", "/nowhere"):
            yield f"Accept {accept!r} {path[:24]}", Request("GET", path, headers={"accept": accept})
    for name, headers in (
        ("no token", {"x-auth-token": None}),
        ("empty token", {"x-auth-token": ""}),
        ("other user", {"x-auth-token": "somebody"}),
        ("user and project", {"x-auth-token": "admin:project"}),
        ("odd token", {"x-auth-token": ":::"}),
        ("no roles", {"x-roles": ""}),
        ("reader", {"x-roles": "reader"}),
        ("odd roles", {"x-roles": ",,admin,"}),
        ("system scope", {"openstack-system-scope": "all"}),
        ("request id", {"x-openstack-request-id": "nonsense"}),
        ("range", {"range": "bytes=0-1"}),
        ("if none match", {"if-none-match": "*"}),
        ("method override", {"x-http-method-override": "DELETE"}),
    ):
        yield name, Request("GET", "/resource_providers", headers=headers)
        yield f"{name} at the root", Request("GET", "/", headers=headers)


def _versions() -> Iterator[Case]:
    for version in (
        *("1.40", "1.99", "2.0", "0.9", "1", "1.2.3", "pony.horse", "", "latest", "LATEST", "1.-1"),
        *(
            "01.10",
            "1.010",
            " 1.10",
            "1.10 ",
            "\xd9\xa3.1",
            "1.1e1",
            f"1.{HUGE}",
            "1.10, compute 2.1",
        ),
    ):
        for path in ("/resource_providers", "/", "/nowhere"):
            yield f"{version!r} {path}", Request("GET", path, version=version)
    for value in (
        "compute 2.1",
        "placement",
        "1.10",
        "compute 2.1, placement 1.10",
        ",",
        "placement 1.1, placement 1.2",
    ):
        headers = {"openstack-api-version": value}
        yield (
            f"header {value!r}",
            Request("GET", "/resource_providers", version=None, headers=headers),
        )
    for minor in (0, 1, 5, 8, 12, 19, 22, 23, 28):
        version = f"1.{minor}"
        yield f"{version}, an error", Request("GET", f"{ROOT[:-1]}0", version=version)
        yield f"{version}, traits", Request("GET", f"{ROOT}/traits", version=version)
        yield (
            f"{version}, candidates",
            Request("GET", "/allocation_candidates", "limit=1", version=version),
        )
        yield f"{version}, reshaper", Request("POST", "/reshaper", body={}, version=version)
        yield f"{version}, clear", Request("DELETE", f"{ROOT}/inventories", version=version)
