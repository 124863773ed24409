"""``[filter_scheduler]`` under Nova's names, and what else the choice depends on."""

from __future__ import annotations

from oslo_config import cfg, types

from scheduler_lib.conf.groups import DEFAULT, Options
from scheduler_lib.exceptions import InvalidConfiguration
from scheduler_lib.model.settings import Accounting, SchedulingSettings

GROUP = "filter_scheduler"
CALLS = "scheduler"

FILTERS = ("availability_zone", "compute", "retry", "aggregate")
WEIGHERS = ("ram", "cpu", "disk")

_LEANINGS = {
    "ram": "hosts with more free MEMORY_MB",
    "cpu": "hosts with more free VCPU",
    "disk": "hosts with more free DISK_GB",
    "packing": "the fullest host that the request still fits on",
    "fragmentation": "the host whose leftovers stay useful to the requests asked lately",
}


def _multiplier(name: str, leaning: str) -> cfg.Opt:
    return cfg.FloatOpt(
        f"{name}_weight_multiplier",
        default=1.0,
        mutable=True,
        help=f"""
How much the weigher ``{name}`` counts. A positive number prefers {leaning}, a negative one the
opposite. Possible values: any finite number; 0.0 switches the weigher off.
""",
    )


OPTIONS: Options = {
    GROUP: (
        cfg.ListOpt(
            "enabled_filters",
            default=list(FILTERS),
            help="""
The filters that every host must pass, in the order in which they run.

Possible values: names in the entry-point group ``scheduler_lib.filters``, separated by commas;
an empty list for none.
""",
        ),
        cfg.ListOpt(
            "enabled_weighers",
            default=list(WEIGHERS),
            help="""
The weighers that order the hosts which passed.

Possible values: names in the entry-point group ``scheduler_lib.weighers``, separated by commas;
an empty list for none (hosts are then taken in the order of their names).
""",
        ),
        *(_multiplier(name, leaning) for name, leaning in _LEANINGS.items()),
        cfg.Opt(
            "weight_multipliers",
            type=types.Dict(types.Float()),
            default={},
            help="""
Multipliers of weighers that other packages provide.

Possible values: pairs ``name:number`` separated by commas; a weigher that is not named has 1.0.
""",
        ),
        cfg.Opt(
            "packing_resource_weights",
            type=types.Dict(types.Float()),
            default={},
            mutable=True,
            help="""
How much each resource class counts for the weigher ``packing``. A class that is named counts even
for requests that do not ask it, so that processors beside scarce devices are kept for those who
need both. Possible values: pairs ``CLASS:number`` separated by commas; a class that a request asks
and that is not named has 1.0.
""",
        ),
        cfg.IntOpt(
            "host_subset_size",
            default=1,
            min=1,
            help="""
Choose at random among that many best hosts, so that schedulers working side by side meet less
often. Unit: hosts, at least 1 (always the best).
""",
        ),
        cfg.BoolOpt(
            "shuffle_best_same_weighed_hosts",
            default=False,
            help="""
Shuffle the hosts that share the best weight. Possible values: true, false (the lowest name wins).
""",
        ),
        cfg.IntOpt(
            "random_seed",
            help="""
Where the random choices of ``host_subset_size`` and ``shuffle_best_same_weighed_hosts`` begin, so
that a run can be repeated. Possible values: any whole number; unset, every process differs.
""",
        ),
    ),
    CALLS: (
        cfg.StrOpt(
            "accounting",
            default=Accounting.ALLOCATIONS.value,
            choices=[
                (Accounting.ALLOCATIONS.value, "what was claimed, in the database"),
                (Accounting.REPORTED.value, "the used columns of the hosts' reports"),
            ],
            help="""
Which numbers say how full a host is. Possible values: allocations, reported.
""",
        ),
        cfg.IntOpt(
            "alternates",
            default=2,
            min=0,
            help="""
Next-best hosts that are named beside each destination. Unit: hosts, at least 0.
""",
        ),
    ),
    DEFAULT: (
        cfg.FloatOpt(
            "service_down_time",
            default=60.0,
            min=0.0,
            help="""
A host whose last heartbeat is older counts as down; hosts that never sent one count as up.
Unit: seconds, at least 0.
""",
        ),
        cfg.StrOpt(
            "default_availability_zone",
            default="nova",
            help="""
The zone of hosts whose report names none. Possible values: any name without a colon.
""",
        ),
    ),
}


def settings(conf: cfg.ConfigOpts) -> SchedulingSettings:
    """Return how the scheduler chooses, as a plain value.

    :param conf: options made by :func:`scheduler_lib.conf.load`.
    :raises InvalidConfiguration: for a filter or weigher that is named twice or not at all.
    """
    group = conf[GROUP]
    multipliers = dict(group.weight_multipliers)
    multipliers.update((name, group[f"{name}_weight_multiplier"]) for name in _LEANINGS)
    return SchedulingSettings(
        enabled_filters=_names(group.enabled_filters, "enabled_filters"),
        enabled_weighers=_names(group.enabled_weighers, "enabled_weighers"),
        multipliers=multipliers,
        packing_resource_weights=dict(group.packing_resource_weights),
        host_subset_size=group.host_subset_size,
        shuffle_best_same_weighed_hosts=group.shuffle_best_same_weighed_hosts,
        random_seed=group.random_seed,
        alternates=conf[CALLS].alternates,
        service_down_time_s=conf.service_down_time,
        default_availability_zone=conf.default_availability_zone,
        accounting=Accounting(conf[CALLS].accounting),
    )


def _names(value: list[str], option: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or "" in names:
        wrong = f"names {twice[0]!r} twice" if twice else "has an empty name"
        raise InvalidConfiguration(f"[{GROUP}] {option} {wrong}.", field=f"{GROUP}.{option}")
    return names
