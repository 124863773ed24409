"""Where a client's options come from, and that nobody else's are touched."""

import pytest
from oslo_config import cfg

from scheduler_lib import SchedulerClient, conf
from scheduler_lib.exceptions import InvalidConfiguration, PluginNotFound
from scheduler_lib.testing import FakeQuery, FakeReport, SchedulerClientFixture, a_host, a_request


def test_client_without_options_keeps_its_books_in_the_users_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with SchedulerClient() as client:
        a_host("h1").report(client)
        assert client.select(None, a_request(VCPU=1).build()).destinations[0].host == "h1"
    assert [path for path in tmp_path.rglob("*") if path.is_file()]


def test_callers_own_options_are_completed(tmp_path):
    """A service hands over its ConfigOpts as it is; our options are registered on it."""
    options = cfg.ConfigOpts()
    path = tmp_path / "service.conf"
    path.write_text(f"[database]\nconnection = sqlite:///{tmp_path}/service.sqlite\n")
    options([], default_config_files=[str(path)], default_config_dirs=[])
    with SchedulerClient(options) as client:
        a_host("h1").report(client)
    assert (tmp_path / "service.sqlite").exists()


def test_global_options_stay_as_they_were(tmp_path):
    before = set(cfg.CONF)
    with SchedulerClientFixture() as fixture:
        fixture.client.list_resource_stats(None)
    assert set(cfg.CONF) == before


def test_backends_are_swapped_by_option():
    options = conf.load()
    options.set_override("query_backend", "fake", group="scheduler")
    options.set_override("report_backend", "fake", group="scheduler")
    with SchedulerClient(options) as client:
        assert client.select(None, a_request(VCPU=1).build()).destinations[0].host == "fake-host"
        assert client.list_resource_stats(None) == []


def test_object_wins_over_the_option():
    options = conf.load()
    options.set_override("query_backend", "nonsense", group="scheduler")
    with SchedulerClient(options, query=FakeQuery(hosts=["x"]), report=FakeReport()) as client:
        assert client.select(None, a_request(VCPU=1).build()).destinations[0].host == "x"


def test_time_and_tries_are_those_of_the_options():
    options = {("scheduler", "retry_attempts"): 1, ("scheduler", "call_timeout_s"): 7.0}
    seen = []

    class Watching(FakeQuery):
        def select(self, context, request, *, deadline=None, **rest):
            seen.append(deadline.timeout_s)
            raise ConnectionError("no answer")

    with SchedulerClientFixture(query=Watching(), report="fake", options=options) as fixture:
        for dry_run in (True, False):
            with pytest.raises(Exception, match="no answer"):
                fixture.client.select(None, a_request(VCPU=1).build(), dry_run=dry_run)
    assert seen == [7.0, 7.0]


@pytest.mark.parametrize(
    ("option", "value"),
    [(("filter_scheduler", "enabled_filters"), ["computer"]),
     (("filter_scheduler", "enabled_weighers"), ["ram", "cpus"])],
)  # fmt: skip
def test_unknown_filter_or_weigher_is_told_at_the_first_select(option, value):
    with (
        SchedulerClientFixture(options={option: value}) as fixture,
        pytest.raises(PluginNotFound, match="Did you mean"),
    ):
        fixture.client.select(None, a_request(VCPU=1).build())


@pytest.mark.parametrize("url", ["nonsense", "oracle://x", ""])
def test_database_that_cannot_be_is_told(url):
    options = conf.load()
    options.set_override("connection", url, group="database")
    with SchedulerClient(options) as client, pytest.raises(InvalidConfiguration):
        client.list_resource_stats(None)


def test_database_in_memory_is_shared_by_the_two_backends_of_a_client():
    with SchedulerClientFixture("sqlite://") as fixture:
        a_host("h1").vcpus(1).report(fixture.client)
        assert fixture.client.select(None, a_request(VCPU=1).build()).destinations[0].claimed


def test_closed_client_lets_go_of_its_database(make_client, tmp_path):
    """SQLite takes its log away when the last connection goes."""
    client = make_client(f"sqlite:///{tmp_path}/books.sqlite")
    a_host("h1").report(client)
    client.select(None, a_request(VCPU=1).build())
    assert (tmp_path / "books.sqlite-wal").exists()
    client.close()
    assert sorted(path.name for path in tmp_path.iterdir() if "books" in path.name) == [
        "books.sqlite"
    ]
