"""Who calls, and who may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from falcon.testing import TestClient, create_environ

from scheduler_lib import conf
from scheduler_lib.api import policies
from scheduler_lib.api.app import PlacementApp, create_app
from scheduler_lib.api.authorization import Authorizer
from scheduler_lib.api.errors import ApiError
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.testing import ManualClock
from scheduler_lib.testing.api import make_app

LIST = "/resource_providers"
RULE = "placement:resource_providers:list"


@pytest.fixture(scope="module")
def legacy() -> Iterator[TestClient]:
    with make_app() as app:
        yield TestClient(app)


@pytest.fixture(scope="module")
def secure() -> Iterator[TestClient]:
    with make_app("secure-rbac") as app:
        yield TestClient(app)


def status(client: TestClient, path: str = LIST, query: str = "", **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return int(client.simulate_get(path, query_string=query, headers=named).status_code)


@pytest.mark.parametrize("path", ["/", "/openapi.json", "/healthcheck"])
def test_some_paths_are_open(legacy: TestClient, path: str) -> None:
    assert status(legacy, path) == 200


@pytest.mark.parametrize("headers", [{}, {"x_auth_token": ""}, {"x_user_id": "admin"}])
def test_without_a_token_nobody_is_known(legacy: TestClient, headers: dict[str, str]) -> None:
    assert status(legacy, **headers) == 401


def test_the_user_admin_has_the_role_admin_and_others_have_none(legacy: TestClient) -> None:
    assert status(legacy, x_auth_token="admin") == 200
    assert status(legacy, x_auth_token="admin:project") == 200
    assert status(legacy, x_auth_token="somebody") == 403


def test_roles_may_be_named(legacy: TestClient) -> None:
    assert status(legacy, x_auth_token="somebody", x_roles="member,admin") == 200
    assert status(legacy, x_auth_token="admin", x_roles="member") == 403


def test_the_rules_of_today_know_the_role_service(secure: TestClient) -> None:
    assert status(secure, x_auth_token="nova", x_roles="service") == 200
    assert status(secure, x_auth_token="nova", x_roles="reader") == 403


def test_the_rules_of_today_refuse_who_acts_for_no_project(secure: TestClient) -> None:
    admin = {"x_auth_token": "admin", "x_roles": "admin"}
    assert status(secure, **admin) == 200
    assert status(secure, openstack_system_scope="all", **admin) == 403


def test_a_reader_sees_the_usages_of_the_own_project_alone(secure: TestClient) -> None:
    reader = {
        "x_auth_token": "me:mine", "x_roles": "reader", "openstack_api_version": "placement 1.39",
    }  # fmt: skip
    assert status(secure, "/usages", "project_id=mine", **reader) == 200
    assert status(secure, "/usages", "project_id=theirs", **reader) == 403


def test_under_an_open_policy_everybody_may_everything() -> None:
    with make_app("open-policy") as app:
        assert status(TestClient(app), x_auth_token="somebody") == 200


def test_keystone_has_to_be_told_where_it_is() -> None:
    options = conf.load()
    options.set_override("connection", "sqlite://", group="database")
    with pytest.raises(InvalidConfiguration, match="keystone_authtoken"):
        create_app(options)


def test_with_keystone_a_token_is_checked_and_the_root_is_open(tmp_path: Path) -> None:
    file = tmp_path / "keystone.conf"
    file.write_text(
        "[keystone_authtoken]\nauth_type = password\nauth_url = http://127.0.0.1:9\n"
        "username = placement\npassword = secret\nwww_authenticate_uri = http://keystone\n"
        "[database]\nconnection = sqlite://\n"
    )
    with create_app(conf.load(config_files=[file])) as app:
        client = TestClient(app)
        assert status(client, "/") == 200
        assert status(client) == 401
        # Headers that only the middleware may set are not believed.
        assert status(client, x_user_id="admin", x_roles="admin") == 401


def test_only_the_named_origin_gets_cors_headers() -> None:
    with make_app("cors") as app:
        ask = {
            "origin": "http://valid.example.com",
            "access-control-request-method": "GET",
            "access-control-request-headers": "openstack-api-version",
        }
        good = preflight(app, ask)
        bad = preflight(app, {**ask, "origin": "http://evil"})
    assert good["access-control-allow-origin"] == "http://valid.example.com"
    assert "access-control-allow-origin" not in bad


def preflight(app: PlacementApp, headers: dict[str, str]) -> dict[str, str]:
    environ = create_environ(method="OPTIONS", path="/", headers=headers)
    found: list[tuple[str, str]] = []
    list(app(environ, lambda status, given, _=None: found.extend(given)))  # type: ignore[arg-type, return-value, misc]
    return {name.lower(): value for name, value in found}


def authorizer(directory: Path, clock: ManualClock) -> tuple[Authorizer, Path]:
    options = conf.load()
    conf.placement.register_libraries(options)
    file = directory / "policy.yaml"
    file.write_text(f'"{RULE}": "role:auditor"\n')
    options.set_override("policy_file", str(file), group="oslo_policy")
    return Authorizer(options, clock), file


def allowed(asked: Authorizer, role: str) -> bool:
    try:
        asked.check({"HTTP_X_USER_ID": "u", "HTTP_X_ROLES": role}, RULE, {})
    except ApiError:
        return False
    return True


def test_a_file_replaces_rules_and_is_read_again_within_a_second(tmp_path: Path) -> None:
    clock = ManualClock()
    asked, file = authorizer(tmp_path, clock)
    assert allowed(asked, "auditor")
    assert not allowed(asked, "admin")
    file.write_text(f'"{RULE}": "role:admin or role:nobody"\n')
    assert allowed(asked, "auditor")
    clock.advance(1.0)
    assert not allowed(asked, "auditor")
    assert allowed(asked, "admin")


def test_a_file_that_breaks_later_is_told_in_the_log_and_the_rules_of_before_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    asked, file = authorizer(tmp_path, clock)
    assert allowed(asked, "auditor")
    file.write_text(f'"{RULE}": "role:admin')
    clock.advance(1.0)
    assert allowed(asked, "auditor")
    assert not allowed(asked, "admin")
    assert "cannot be read" in caplog.text


def test_a_broken_policy_file_is_told_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(f'"{RULE}": "role:admin')
    options = conf.load()
    conf.placement.register_libraries(options)
    options.set_override("connection", "sqlite://", group="database")
    options.set_override("auth_strategy", "noauth2", group="api")
    options.set_override("policy_file", str(file), group="oslo_policy")
    with pytest.raises(InvalidConfiguration, match="policy"):
        create_app(options)


def test_every_rule_of_placement_is_there() -> None:
    names = {rule.name for rule in policies.list_rules()}
    assert len(names) == 38
    assert {"admin_api", "placement:usages", "placement:reshaper:reshape"} <= names
