"""Options are loaded onto an object of the caller's own, and checked to the last value."""

from __future__ import annotations

from pathlib import Path

import pytest
from oslo_config import cfg

from scheduler_lib import conf
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.model.settings import (
    Accounting,
    CallSettings,
    CapacitySettings,
    DatabaseSettings,
    SchedulingSettings,
)


def written(path: Path, text: str) -> Path:
    file = path / "scheduler_lib.conf"
    file.write_text(text)
    return file


def test_without_anything_every_value_has_its_default() -> None:
    options = conf.load(environment={"XDG_STATE_HOME": "/var/state"})
    assert conf.database.settings(options) == DatabaseSettings(
        connection="sqlite:////var/state/scheduler_lib/scheduler_lib.sqlite"
    )
    assert conf.capacity.settings(options) == CapacitySettings()
    assert conf.calls.settings(options) == CallSettings()
    chosen = conf.scheduling.settings(options)
    assert chosen.enabled_filters == ("availability_zone", "compute", "retry", "aggregate")
    assert chosen.enabled_weighers == ("ram", "cpu", "disk")
    assert set(chosen.multipliers.values()) == {1.0}
    plain = SchedulingSettings(
        enabled_filters=chosen.enabled_filters,
        enabled_weighers=chosen.enabled_weighers,
        multipliers=chosen.multipliers,
    )
    assert chosen == plain
    assert options.scheduler.query_backend == "local"
    assert options.scheduler.report_backend == "db"


@pytest.mark.parametrize("environment", [{}, {"XDG_STATE_HOME": ""}, {"XDG_STATE_HOME": "a/b"}])
def test_state_lies_in_the_home_directory_unless_an_absolute_place_is_named(
    environment: dict[str, str],
) -> None:
    options = conf.load(environment=environment)
    home = Path.home() / ".local" / "state" / "scheduler_lib"
    assert options.state_path == str(home)


def test_a_dollar_sign_in_the_state_directory_is_taken_as_it_is() -> None:
    options = conf.load(environment={"XDG_STATE_HOME": "/var/$HOME"})
    assert options.state_path == "/var/$HOME/scheduler_lib"


def test_two_loads_share_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, "[scheduler]\nquery_backend = fake\n")
    one, other = conf.load(config_files=[file]), conf.load()
    one.set_override("report_backend", "fake", group="scheduler")
    assert (one.scheduler.query_backend, one.scheduler.report_backend) == ("fake", "fake")
    assert (other.scheduler.query_backend, other.scheduler.report_backend) == ("local", "db")


def test_nothing_is_registered_on_the_global_object() -> None:
    conf.load()
    assert "scheduler" not in cfg.CONF
    assert "state_path" not in cfg.CONF


def test_every_option_reaches_its_setting(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
[DEFAULT]
cpu_allocation_ratio = 16.0
ram_allocation_ratio = 0.0
initial_disk_allocation_ratio = 1.5
reserved_host_memory_mb = 512
service_down_time = 90
default_availability_zone = west
[database]
connection = postgresql+psycopg://u:p$$w@h/d
sqlite_synchronous = FULL
busy_timeout_s = 1.5
max_pool_size = 7
max_overflow = 8
db_max_retries = 9
change_retention_s = 10
request_key_retention_s = 11
[scheduler]
accounting = reported
alternates = 4
call_timeout_s = 2.5
retry_attempts = 1
[filter_scheduler]
enabled_filters = compute, retry
enabled_weighers = packing, theirs
packing_weight_multiplier = -2
weight_multipliers = theirs:3.5
host_subset_size = 5
shuffle_best_same_weighed_hosts = true
""",
    )
    options = conf.load(["--config-file", str(file)])
    capacity = conf.capacity.settings(options)
    assert capacity.cpu_allocation_ratio == 16.0
    assert capacity.ram_allocation_ratio is None
    assert capacity.initial_disk_allocation_ratio == 1.5
    assert capacity.reserved_host_memory_mb == 512
    assert conf.database.settings(options) == DatabaseSettings(
        "postgresql+psycopg://u:p$w@h/d", "FULL", 1.5, 7, 8, 9, 10.0, 11.0
    )
    assert conf.calls.settings(options) == CallSettings(2.5, 1)
    chosen = conf.scheduling.settings(options)
    assert chosen.enabled_filters == ("compute", "retry")
    assert chosen.enabled_weighers == ("packing", "theirs")
    assert (chosen.multipliers["packing"], chosen.multipliers["theirs"]) == (-2.0, 3.5)
    assert (chosen.host_subset_size, chosen.alternates) == (5, 4)
    assert chosen.shuffle_best_same_weighed_hosts
    assert (chosen.service_down_time_s, chosen.default_availability_zone) == (90.0, "west")
    assert chosen.accounting is Accounting.REPORTED


def test_later_files_win(tmp_path: Path) -> None:
    first, second = tmp_path / "1.conf", tmp_path / "2.conf"
    first.write_text("[scheduler]\nalternates = 1\nretry_attempts = 8\n")
    second.write_text("[scheduler]\nalternates = 2\n")
    options = conf.load(config_files=[first, second])
    assert (options.scheduler.alternates, options.scheduler.retry_attempts) == (2, 8)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[database]\nmax_pool_size = many\n", "database.max_pool_size"),
        ("[database]\nmax_pool_size = 0\n", "database.max_pool_size"),
        ("[database]\nsqlite_synchronous = OFF\n", "database.sqlite_synchronous"),
        ("[DEFAULT]\ncpu_allocation_ratio = nan\n", "DEFAULT.cpu_allocation_ratio"),
        ("[DEFAULT]\nram_allocation_ratio = -1\n", "DEFAULT.ram_allocation_ratio"),
        ("[DEFAULT]\nstate_path = $nowhere\n", "DEFAULT.state_path"),
        ("[scheduler]\naccounting = guessed\n", "scheduler.accounting"),
        ("[scheduler]\ncall_timeout_s = 0\n", "scheduler.call_timeout_s"),
        (
            "[filter_scheduler]\nweight_multipliers = a:b\n",
            "filter_scheduler.weight_multipliers",
        ),
        (
            "[filter_scheduler]\nram_weight_multiplier = inf\n",
            "filter_scheduler.ram_weight_multiplier",
        ),
        ("no equals sign", "config_files"),
    ],
)
def test_a_value_that_is_not_allowed_is_an_error_that_names_the_option(
    tmp_path: Path, text: str, field: str
) -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        conf.load(config_files=[written(tmp_path, text)])
    assert caught.value.fields["field"] == field
    assert caught.value.message.endswith(".")


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfiguration, match=r"missing\.conf"):
        conf.load(config_files=[tmp_path / "missing.conf"])


def test_an_unknown_argument_is_an_error_and_not_an_exit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(InvalidConfiguration, match="--colour"):
        conf.load(["--colour"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("option", ["enabled_filters", "enabled_weighers"])
@pytest.mark.parametrize("value", ["ram,ram", "ram,,cpu"])
def test_a_name_given_twice_or_left_empty_is_an_error(
    tmp_path: Path, option: str, value: str
) -> None:
    options = conf.load(
        config_files=[written(tmp_path, f"[filter_scheduler]\n{option} = {value}\n")]
    )
    with pytest.raises(InvalidConfiguration) as caught:
        conf.scheduling.settings(options)
    assert caught.value.fields["field"] == f"filter_scheduler.{option}"
