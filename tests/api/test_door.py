"""The steps that every request goes through, whatever it asks."""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from falcon.testing import TestClient, create_environ

from scheduler_lib.api import versions
from scheduler_lib.api.errors import ApiError, written
from scheduler_lib.exceptions import BackendUnavailable
from scheduler_lib.testing.api import ADMIN, PROFILES, make_app

LIST = "/resource_providers"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with make_app() as app:
        yield TestClient(app, headers=dict(ADMIN))


def test_without_a_version_the_oldest_is_meant(client: TestClient) -> None:
    answer = TestClient(client.app, headers={"x-auth-token": "admin"}).simulate_get(LIST)
    assert answer.headers["openstack-api-version"] == "placement 1.0"
    assert "last-modified" not in answer.headers


@pytest.mark.parametrize(
    ("header", "answered"),
    [
        ("placement 1.14", "1.14"),
        ("Placement 1.14", "1.14"),
        ("placement latest", "1.39"),
        ("compute 2.90", "1.0"),
        ("compute 2.90, placement 1.3", "1.3"),
        ("placement 1.3, placement 1.4", "1.4"),
        ("nonsense", "1.0"),
        ("placement 01.010", "1.10"),
    ],
)
def test_the_last_version_for_this_service_counts(
    client: TestClient, header: str, answered: str
) -> None:
    answer = client.simulate_get(LIST, headers={"openstack-api-version": header})
    assert answer.status_code == 200
    assert answer.headers["openstack-api-version"] == f"placement {answered}"
    assert answer.headers["vary"] == "openstack-api-version"


@pytest.mark.parametrize("number", ["1.40", "2.0", "0.9", "1.99999999999", "1.-2"])
def test_a_version_that_there_is_not_names_those_that_there_are(
    client: TestClient, number: str
) -> None:
    header = {"openstack-api-version": f"placement {number}"}
    answer = client.simulate_get(LIST, headers=header)
    (error,) = answer.json["errors"]
    assert answer.status_code == 406
    assert (error["min_version"], error["max_version"]) == ("1.0", "1.39")


@pytest.mark.parametrize("number", ["pony.horse", "1.2.3", "1", "one", "1.٣"])
def test_what_is_no_version_is_a_bad_request(client: TestClient, number: str) -> None:
    header = {"openstack-api-version": f"placement {number}".encode().decode("latin-1")}
    assert client.simulate_get(LIST, headers=header).status_code == 400


def test_codes_come_with_1_23(client: TestClient) -> None:
    def error(minor: int) -> dict[str, object]:
        header = {"openstack-api-version": f"placement 1.{minor}"}
        found: dict[str, object] = client.simulate_get("/nowhere", headers=header).json["errors"][0]
        return found

    assert "code" not in error(22)
    assert error(23)["code"] == "placement.undefined_code"


def test_every_answer_has_the_id_of_its_request(client: TestClient) -> None:
    answer = client.simulate_get("/nowhere")
    assert answer.headers["x-openstack-request-id"] == answer.json["errors"][0]["request_id"]
    assert answer.headers["x-openstack-request-id"].startswith("req-")


def test_the_wrong_method_is_told_the_right_ones(client: TestClient) -> None:
    answer = client.simulate_delete(LIST)
    assert answer.status_code == 405
    assert {each.strip() for each in answer.headers["allow"].split(",")} == {"GET", "POST"}
    assert client.simulate_options(LIST).status_code == 405


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PATCH", "MKCOL"])
def test_no_method_is_allowed_that_the_path_does_not_have(client: TestClient, method: str) -> None:
    answer = client.simulate_request(method, "/usages")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "path", ["//", "/traits/", "/resource_classes/", "//traits", "/resource_providers//traits"]
)
def test_an_empty_part_of_a_path_names_nothing(client: TestClient, method: str, path: str) -> None:
    assert client.simulate_request(method, path).status_code == 404


@pytest.mark.parametrize("accept", ["nonsense", ";;", "application/json;q=2"])
def test_what_is_no_media_type_asks_for_nothing(client: TestClient, accept: str) -> None:
    assert client.simulate_get(LIST, headers={"accept": accept}).status_code == 200
    answer = client.simulate_get("/nowhere", headers={"accept": accept})
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("accept", ["text/plain", "image/png", "application/xml"])
def test_who_takes_no_json_is_refused(client: TestClient, accept: str) -> None:
    assert client.simulate_get(LIST, headers={"accept": accept}).status_code == 406


@pytest.mark.parametrize("accept", ["text/html", "text/html, application/json;q=0.5"])
def test_who_prefers_html_gets_errors_in_html(client: TestClient, accept: str) -> None:
    answer = client.simulate_get("/nowhere", headers={"accept": accept})
    assert answer.headers["content-type"].startswith("text/html")
    assert "404 Not Found" in answer.text


@pytest.mark.parametrize("accept", ["text/html, application/json", "application/json, text/html"])
def test_who_takes_both_gets_errors_in_json(client: TestClient, accept: str) -> None:
    answer = client.simulate_get("/nowhere", headers={"accept": accept})
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("content_type", "status"),
    [("text/plain", 415), ("application/json", 200), ("application/json; charset=utf-8", 200)],
)
def test_a_body_has_to_be_json(client: TestClient, content_type: str, status: int) -> None:
    body = f'{{"name": "as {content_type}"}}'
    header = {"content-type": content_type}
    assert client.simulate_post(LIST, body=body, headers=header).status_code == status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"name": NaN}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"name": ' + b"9" * 10_000 + b"}",
        b'{"name": 18446744073709551616}',
        b"null",
        b"true",
        '{"name": "wide"}'.encode("utf-16"),
        '{"name": "marked"}'.encode("utf-8-sig"),
        b'{"name": ' + b"[" * 900 + b"]" * 900 + b"}",
    ],
    ids=lambda body: str(body[:12]),
)
def test_a_body_that_is_no_json_or_not_the_right_one_is_a_bad_request(
    client: TestClient, body: bytes
) -> None:
    answer = client.simulate_post(LIST, body=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


def test_of_a_key_that_is_there_twice_the_last_value_counts(client: TestClient) -> None:
    answer = client.simulate_post(
        LIST, body='{"name": "one", "name": "two"}', headers={"content-type": "application/json"}
    )
    assert answer.json["name"] == "two"


def test_a_body_that_is_too_long_is_refused_before_it_is_read(client: TestClient) -> None:
    header = {"content-type": "application/json", "content-length": str(10**10)}
    assert client.simulate_post(LIST, body="{}", headers=header).status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "' + b"x" * 10_000_000 + b'"}',
        b'{"name": ' + b"9" * 4_000 + b"}",
        b"{" + b",".join(b'"%d":1' % number for number in range(200_000)) + b"}",
        b"{" + b",".join(b'"%d":1' % number for number in range(1_500)) + b"}",
        b"[" + b"1," * 200_000 + b"1]",
    ],
    ids=["a name", "a number", "keys", "fewer keys", "items"],
)
def test_much_that_is_wrong_gets_a_short_answer_soon(client: TestClient, body: bytes) -> None:
    began = time.process_time()
    answer = client.simulate_post(LIST, body=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert len(answer.content) < 10_000
    assert time.process_time() - began < 2.0


def test_ten_thousand_keys_get_a_short_answer(client: TestClient) -> None:
    query = "&".join(f"key{number}=1" for number in range(10_000))
    answer = client.simulate_get(LIST, query_string=query)
    assert answer.status_code == 400
    assert len(answer.content) < 10_000


def test_a_query_that_is_no_utf8_is_a_bad_request(client: TestClient) -> None:
    assert client.simulate_get(LIST, query_string="name=%ff%fe").status_code == 400


@pytest.mark.parametrize(("value", "status"), [("-1", 400), ("many", 400), ("", 400)])
def test_a_content_length_is_a_number(value: str, status: int) -> None:
    with make_app() as app:
        environ = {
            "REQUEST_METHOD": "POST", "PATH_INFO": LIST, "CONTENT_LENGTH": value,
            "CONTENT_TYPE": "application/json", "HTTP_X_AUTH_TOKEN": "admin",
            "SERVER_NAME": "x", "SERVER_PORT": "80", "wsgi.input": io.BytesIO(),
            "wsgi.url_scheme": "http", "QUERY_STRING": "", "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.errors": io.StringIO(),
        }  # fmt: skip
        statuses: list[str] = []
        list(app(environ, lambda line, headers, _=None: statuses.append(line)))  # type: ignore[arg-type, return-value, misc]
    assert statuses[0].startswith(str(status))


def test_a_defect_is_told_by_the_id_of_the_request_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = make_app()
    client = TestClient(app, headers=dict(ADMIN))
    app._service.store.close()
    app._service.store.providers = None  # type: ignore[assignment]
    with caplog.at_level(logging.ERROR):
        answer = client.simulate_get(f"{LIST}/x")
    assert answer.status_code == 500
    assert "NoneType" not in answer.text
    assert answer.headers["x-openstack-request-id"] in answer.json["errors"][0]["detail"]
    assert answer.headers["x-openstack-request-id"] in caplog.text


def test_a_database_that_does_not_answer_is_named_in_the_log_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Dead:
        def record(self, *_: object) -> None:
            raise BackendUnavailable("postgresql://me@secret.example did not do it: why")

    with make_app() as app, caplog.at_level(logging.WARNING):
        app._service.store.providers = Dead()  # type: ignore[assignment]
        uuid = "11111111-1111-4111-8111-111111111111"
        answer = TestClient(app, headers=dict(ADMIN)).simulate_get(f"{LIST}/{uuid}")
    (error,) = answer.json["errors"]
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "secret" not in answer.text
    assert "The database did not answer." in error["detail"]
    assert f"{error['request_id']}: postgresql://me@secret.example" in caplog.text


def test_the_log_has_a_line_for_each_request_that_cannot_be_forged(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="scheduler_lib.api.middleware.request_log"):
        answer = client.simulate_get("/a%0Ab")
    (record,) = caplog.records
    line = record.getMessage()
    assert "\n" not in line
    assert "status: 404" in line
    assert "microversion: 1.39" in line
    assert answer.headers["x-openstack-request-id"] in line


def test_the_callers_own_id_is_in_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    theirs = "req-01234567-89ab-cdef-0123-456789abcdef"
    with caplog.at_level(logging.INFO, logger="scheduler_lib.api.middleware.request_log"):
        client.simulate_get("/", headers={"x-openstack-request-id": theirs})
        client.simulate_get("/", headers={"x-openstack-request-id": "req-\nforged"})
    assert theirs in caplog.records[0].getMessage()
    assert "forged" not in caplog.records[1].getMessage()


def test_the_history_has_a_sentence_for_each_microversion() -> None:
    assert versions.LATEST == 39
    assert all(told.endswith(".") for told in versions.HISTORY)


def test_two_applications_in_one_process_know_nothing_of_each_other() -> None:
    with make_app() as one, make_app() as other:
        TestClient(one, headers=dict(ADMIN)).simulate_post(LIST, json={"name": "mine"})
        found = TestClient(other, headers=dict(ADMIN)).simulate_get(LIST).json
    assert found == {"resource_providers": []}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_answers_at_the_root_without_a_token(profile: str) -> None:
    with make_app(profile) as app:
        answer = TestClient(app).simulate_get("/")
    assert answer.json["versions"][0]["max_version"] == "1.39"


@pytest.mark.parametrize(("length", "status"), [(60, 200), (2048, 413)])
def test_a_body_in_chunks_is_read_to_its_end_but_not_beyond_the_limit(
    length: int, status: int
) -> None:
    with make_app() as app:
        app._service.settings = replace(app._service.settings, max_request_body_bytes=1024)
        text = b'{"name": "in chunks"}'.ljust(length)
        environ = create_environ(
            method="POST", path=LIST, headers={**ADMIN, "content-type": "application/json"}
        )
        environ["wsgi.input"], environ["wsgi.input_terminated"] = io.BytesIO(text), True
        environ.pop("CONTENT_LENGTH", None)
        statuses: list[str] = []
        list(app(environ, lambda line, headers, _=None: statuses.append(line)))  # type: ignore[arg-type, return-value, misc]
    assert statuses[0].startswith(str(status))


class Broken(io.BytesIO):
    """What a server gives whose client sent no proper chunks."""

    def read(self, size: int | None = -1) -> bytes:
        raise OSError("invalid chunk size")


def test_a_body_that_cannot_be_read_is_a_bad_request() -> None:
    environ = create_environ(
        method="POST", path=LIST, headers={**ADMIN, "content-type": "application/json"}
    )
    environ["wsgi.input"], environ["wsgi.input_terminated"] = Broken(), True
    environ.pop("CONTENT_LENGTH", None)
    with make_app() as app:
        statuses: list[str] = []
        list(app(environ, lambda line, headers, _=None: statuses.append(line)))  # type: ignore[arg-type, return-value, misc]
    assert statuses[0].startswith("400")


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 413)])
def test_a_body_may_be_as_long_as_the_limit_and_no_longer(more: int, status: int) -> None:
    with make_app() as app:
        limit = app._service.settings.max_request_body_bytes
        body = b'{"name": "as long as may be"}'.ljust(limit + more)
        header = {"content-type": "application/json"}
        answer = TestClient(app, headers=dict(ADMIN)).simulate_post(LIST, body=body, headers=header)
    assert answer.status_code == status


def test_what_is_said_in_html_is_no_markup() -> None:
    error = ApiError(400, "a & b < c\rd")
    answer = written(error, minor=39, request_id=None, accept="text/html")
    assert b"a &amp; b &lt; cd" in answer.body
