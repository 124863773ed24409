"""The first schema."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SERVER = {"engine": "InnoDB", "charset": "utf8mb4", "collate": "utf8mb4_nopad_bin"}
_OPTIONS: dict[str, Any] = {
    f"{dialect}_{name}": value
    for dialect in ("mysql", "mariadb")
    for name, value in _SERVER.items()
}


def upgrade() -> None:
    """Make all tables."""
    for table, column, length in (
        ("resource_classes", "name", 255),
        ("traits", "name", 255),
        ("placement_aggregates", "uuid", 36),
        ("projects", "external_id", 255),
        ("users", "external_id", 255),
        ("consumer_types", "name", 255),
    ):
        _named(table, column, length)
    _compute_nodes()
    _resource_providers()
    _inventories()
    _pairs("resource_provider_traits", "trait_id")
    _pairs("resource_provider_aggregates", "aggregate_id")
    _consumers()
    _allocations()
    _changes()
    _request_keys()


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")


def _table(name: str, *parts: sa.schema.SchemaItem, times: bool = True, **options: Any) -> None:
    key: tuple[sa.Column[int], ...] = ()
    if not any(isinstance(part, sa.Column) and part.primary_key for part in parts):
        key = (sa.Column("id", sa.Integer(), nullable=False),)
    moments = (sa.Column("created_at", sa.DateTime()), sa.Column("updated_at", sa.DateTime()))
    primary = [p.name for p in (*key, *parts) if isinstance(p, sa.Column) and p.primary_key]
    op.create_table(
        name,
        *key,
        *parts,
        *(moments if times else ()),
        sa.PrimaryKeyConstraint(*(primary or ["id"]), name=f"pk_{name}"),
        **_OPTIONS,
        **options,
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def _integers(*names: str, nullable: bool = True) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=nullable) for name in names]


def _named(table: str, column: str, length: int) -> None:
    _table(table, sa.Column(column, sa.String(length), nullable=False), _unique(table, column))


def _compute_nodes() -> None:
    _table(
        "compute_nodes",
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("hypervisor_hostname", sa.String(255), nullable=False),
        *_integers(
            "vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used",
            "hypervisor_version", "running_vms", "mapped", "service_id", "free_ram_mb",
            "free_disk_gb", "disk_available_least", "current_workload",
        ),
        *(sa.Column(f"{name}_allocation_ratio", sa.Double()) for name in ("cpu", "ram", "disk")),
        sa.Column("hypervisor_type", sa.String(255)),
        sa.Column("host_ip", sa.String(255)),
        *(
            sa.Column(name, _long_text())
            for name in (
                "cpu_info", "supported_instances", "metrics", "pci_stats", "extra_resources",
                "stats", "numa_topology",
            )
        ),
        sa.Column("deleted_at", sa.DateTime()),
        sa.Column("deleted", sa.Integer(), nullable=False, server_default="0"),
        *_integers("reserved_host_cpus", "reserved_host_memory_mb", "reserved_host_disk_mb"),
        sa.Column("disabled", sa.Boolean()),
        sa.Column("forced_down", sa.Boolean()),
        sa.Column("last_seen_up", sa.Double()),
        sa.Column("reported_at", sa.Double()),
        sa.Column("availability_zone", sa.String(255)),
        sa.Column("disabled_reason", sa.String(255)),
        *(
            sa.Column(f"reported_{name}", _long_text())
            for name in ("inventories", "traits", "aggregates")
        ),
        _unique("compute_nodes", "uuid"),
        _unique("compute_nodes", "host", "hypervisor_hostname", "deleted"),
    )  # fmt: skip
    _index("compute_nodes", "hypervisor_hostname")


def _resource_providers() -> None:
    _table(
        "resource_providers",
        sa.Column("uuid", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False, server_default="0"),
        *_integers("root_provider_id", "parent_provider_id"),
        _unique("resource_providers", "uuid"),
        _unique("resource_providers", "name"),
        sqlite_autoincrement=True,
    )
    _index("resource_providers", "root_provider_id")
    _index("resource_providers", "parent_provider_id")


def _inventories() -> None:
    _table(
        "inventories",
        *_integers(
            "resource_provider_id", "resource_class_id", "total", "reserved", "min_unit",
            "max_unit", "step_size", nullable=False,
        ),
        sa.Column("allocation_ratio", sa.Double(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("capacity", sa.BigInteger(), nullable=False),
        _unique("inventories", "resource_provider_id", "resource_class_id"),
    )  # fmt: skip
    _index("inventories", "resource_class_id")


def _pairs(table: str, column: str) -> None:
    _table(
        table,
        sa.Column("resource_provider_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column(column, sa.Integer(), primary_key=True, autoincrement=False),
    )
    _index(table, column)


def _consumers() -> None:
    _table(
        "consumers",
        sa.Column("uuid", sa.String(36), nullable=False),
        *_integers("project_id", "user_id", nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False, server_default="0"),
        *_integers("consumer_type_id"),
        _unique("consumers", "uuid"),
    )
    _index("consumers", "project_id", "user_id")


def _allocations() -> None:
    _table(
        "allocations",
        *_integers("resource_provider_id", nullable=False),
        sa.Column("consumer_id", sa.String(36), nullable=False),
        *_integers("resource_class_id", "used", nullable=False),
        sa.UniqueConstraint(
            "consumer_id",
            "resource_provider_id",
            "resource_class_id",
            name="uq_allocations_consumer_provider_class",
        ),
    )
    _index("allocations", "resource_provider_id", "resource_class_id")


def _changes() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    _table(
        "changes",
        sa.Column("id", key, primary_key=True),
        sa.Column("provider_uuid", sa.String(36), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        times=False,
    )
    # A reader starts from a row; so there must always be one.
    op.execute("INSERT INTO changes (provider_uuid, kind, created_at) VALUES ('', 0, 0)")


def _request_keys() -> None:
    _table(
        "request_keys",
        sa.Column("request_key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(255), nullable=False),
        sa.Column("answer", _long_text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        _unique("request_keys", "request_key"),
        times=False,
    )
    _index("request_keys", "created_at")
