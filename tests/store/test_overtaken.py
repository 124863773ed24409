"""Others write between two statements of a transaction: it waits, makes them wait, or runs anew.

Where it matters when the others come, they come from a function that the transaction calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scheduler_lib.exceptions import (
    ConcurrentUpdate,
    Conflict,
    DuplicateHost,
    ResourceClassInUse,
    ResourceClassNotFound,
    SchedulerLibError,
    TraitInUse,
    TraitNotFound,
)
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.store import ledger, provider_rows
from scheduler_lib.store.catalogue import Catalogue
from scheduler_lib.store.errors import DATABASE_ERRORS, is_transient
from scheduler_lib.store.names import Names, RemovableIds
from scheduler_lib.store.renaming import Renaming
from scheduler_lib.store.session import Session
from scheduler_lib.store.transaction import Overtaken
from tests.databases import Databases
from tests.store.conftest import Desk, OpenDesk

X, Y, Z, BELOW = (str(uuid4()) for _ in range(4))
# What is free is had much sooner than this.
PATIENCE_S = 0.5

Pair = tuple[Desk, Desk]


@pytest.fixture(params=["postgresql", "mariadb"])
def pair(
    request: pytest.FixtureRequest, databases: Databases, tmp_path: Path, open_desk: OpenDesk
) -> Pair:
    """Two processes on one server."""
    url = databases.url(request.param, tmp_path)
    return open_desk(url), open_desk(url)


class Hook:
    """Does something before, or after, a function's first call."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def before(self, place: object, name: str, act: Callable[[], object]) -> None:
        self._set(place, name, act, lambda: None)

    def after(self, place: object, name: str, act: Callable[[], object]) -> None:
        self._set(place, name, lambda: None, act)

    def _set(
        self, place: object, name: str, first: Callable[[], object], last: Callable[[], object]
    ) -> None:
        function = getattr(place, name)
        acts = [(first, last)]

        def called(*args: object, **rest: object) -> object:
            # What the acts themselves call is not met again.
            before, after = acts.pop() if acts else (lambda: None, lambda: None)
            before()
            result = function(*args, **rest)
            after()
            return result

        self._monkeypatch.setattr(place, name, called)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Hook:
    return Hook(monkeypatch)


class Meanwhile:
    """Something that another process does while we are in the middle of it."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act
        self._outcome: str | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __call__(self) -> None:
        """Begin, and go on when it is done, or has been made to wait."""
        self._thread.start()
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        try:
            self._act()
        except SchedulerLibError as error:
            self._outcome = type(error).__name__
        else:
            self._outcome = "done"

    def outcome(self) -> str | None:
        self._thread.join(30)
        return self._outcome


def is_locked(desk: Desk, table: str, uuid: str) -> bool:
    """Tell whether somebody else holds a row."""
    engine = desk.store._database._engine  # type: ignore[union-attr]
    query = sa.text(f"SELECT id FROM {table} WHERE uuid = :uuid FOR UPDATE NOWAIT")
    with engine.connect() as connection:
        try:
            connection.execute(query, {"uuid": uuid}).one()
        except DATABASE_ERRORS as error:
            if not is_transient(error):
                raise
            return True
    return False


class TestAttempts:
    def test_when_they_run_out_it_is_told(self, pair: Pair, open_desk: OpenDesk) -> None:
        desk, runs = open_desk(pair[0].url, max_retries=3), []

        def work(session: Session) -> None:
            runs.append(session)
            raise Overtaken

        with pytest.raises(ConcurrentUpdate) as caught:
            desk.store._database.write(work, desk.deadline(), "testing")  # type: ignore[union-attr]
        assert len(runs) == 4
        assert isinstance(caught.value, Conflict)
        assert caught.value.fields == {"step": "testing", "attempts": 4}
        assert isinstance(caught.value.__cause__, Overtaken)

    def test_what_it_would_have_said_is_told(self, pair: Pair, open_desk: OpenDesk) -> None:
        desk = open_desk(pair[0].url, max_retries=1)

        def work(session: Session) -> None:
            raise Overtaken from DuplicateHost("x")

        with pytest.raises(DuplicateHost):
            desk.store._database.write(work, desk.deadline(), "testing")  # type: ignore[union-attr]


class TestMoves:
    @pytest.fixture
    def pair(self, pair: Pair) -> Pair:
        for uuid, name in ((X, "x"), (Y, "y"), (Z, "z")):
            pair[0].store.providers.create(uuid, name, None, pair[0].deadline())
        pair[0].store.providers.create(BELOW, "below", X, pair[0].deadline())
        return pair

    @staticmethod
    def roots(desk: Desk) -> dict[str, str]:
        return {r.uuid: r.root_uuid for r in desk.store.providers.records(desk.deadline())}

    @staticmethod
    def move(desk: Desk, name: str, uuid: str, parent: str) -> None:
        desk.store.providers.update(
            uuid, name, desk.deadline(), parent_uuid=parent, reparent=True
        )  # fmt: skip

    def test_one_that_has_just_been_moved_takes_all_under_it_along(
        self, pair: Pair, hook: Hook
    ) -> None:
        hook.before(provider_rows, "lock_ids", lambda: self.move(pair[1], "x", X, Z))
        self.move(pair[0], "x", X, Y)
        assert self.roots(pair[0]) == {X: Y, BELOW: Y, Y: Y, Z: Z}
        assert pair[0].discrepancies() == []

    def test_a_parent_that_has_just_been_moved_gives_its_new_root(
        self, pair: Pair, hook: Hook
    ) -> None:
        hook.before(provider_rows, "lock_ids", lambda: self.move(pair[1], "y", Y, Z))
        self.move(pair[0], "x", X, Y)
        assert self.roots(pair[0]) == {X: Z, BELOW: Z, Y: Z, Z: Z}
        assert pair[0].discrepancies() == []

    def test_moves_that_cross_make_no_loop(self, pair: Pair, hook: Hook) -> None:
        hook.before(provider_rows, "lock_ids", lambda: self.move(pair[1], "y", Y, BELOW))
        with pytest.raises(SchedulerLibError) as caught:
            self.move(pair[0], "x", X, Y)
        assert caught.value.fields["reason"] == "loop"
        assert self.roots(pair[0]) == {X: X, BELOW: X, Y: X, Z: Z}


class TestNames:
    """A name that a provider is being given stays; one that is being removed is not given."""

    @pytest.fixture
    def pair(self, pair: Pair) -> Pair:
        desk = pair[0]
        desk.store.providers.create(X, "x", None, desk.deadline())
        desk.store.traits.create("CUSTOM_A", desk.deadline())
        desk.store.resource_classes.create("CUSTOM_A", desk.deadline())
        return pair

    @staticmethod
    def give_trait(desk: Desk) -> None:
        desk.store.traits.replace(X, None, ["CUSTOM_A"], desk.deadline())

    @staticmethod
    def give_class(desk: Desk) -> None:
        desk.store.inventories.add(X, "CUSTOM_A", Inventory(1), desk.deadline())

    @pytest.mark.parametrize(
        ("noun", "refusal"), [("traits", TraitInUse), ("resource_classes", ResourceClassInUse)]
    )
    def test_one_that_is_being_given_cannot_be_removed(
        self, pair: Pair, hook: Hook, noun: str, refusal: type[Exception]
    ) -> None:
        names = getattr(pair[1].store, noun)
        removal = Meanwhile(lambda: names.remove("CUSTOM_A", pair[1].deadline()))
        hook.after(RemovableIds, "hold", removal)
        (self.give_trait if noun == "traits" else self.give_class)(pair[0])
        assert removal.outcome() == refusal.__name__
        assert names.missing(["CUSTOM_A"], pair[1].deadline()) == frozenset()

    @pytest.mark.parametrize(
        ("noun", "refusal"),
        [("traits", TraitNotFound), ("resource_classes", ResourceClassNotFound)],
    )
    def test_one_that_is_being_removed_cannot_be_given(
        self, pair: Pair, hook: Hook, noun: str, refusal: type[Exception]
    ) -> None:
        give = self.give_trait if noun == "traits" else self.give_class
        giving = Meanwhile(lambda: give(pair[1]))
        hook.after(Catalogue, "is_used", giving)
        getattr(pair[0].store, noun).remove("CUSTOM_A", pair[0].deadline())
        assert giving.outcome() == refusal.__name__
        assert pair[1].providers()["x"].traits == frozenset()
        assert pair[1].providers()["x"].stocks == {}

    # On MariaDB one of the two has the row, and the other waits.
    @pytest.mark.parametrize("pair", ["postgresql"], indirect=True)
    def test_one_that_two_make_again_stays_for_both(self, pair: Pair, hook: Hook) -> None:
        desk, other = pair
        desk.store.traits.remove("CUSTOM_A", desk.deadline())
        # The other's report makes it again just before we do; then it could be removed.
        hook.before(RemovableIds, "revive", lambda: other.report("h2", traits=["CUSTOM_A"]))
        removal = Meanwhile(lambda: other.store.traits.remove("CUSTOM_A", other.deadline()))

        def work(session: Session) -> None:
            Names().traits.make(session, ["CUSTOM_A"])
            other.report("h2", traits=[])
            removal()
            desk.store.traits._of.replace(
                session,
                provider_rows.lock(session, X),
                Names().traits.get(session, ["CUSTOM_A"]),
            )

        desk.store._database.write(work, desk.deadline(), "testing")  # type: ignore[union-attr]
        assert removal.outcome() == TraitInUse.__name__
        assert desk.providers()["x"].traits == {"CUSTOM_A"}


class TestRenaming:
    @pytest.fixture
    def pair(self, pair: Pair) -> Pair:
        desk = pair[0]
        desk.store.resource_classes.create("CUSTOM_A", desk.deadline())
        for uuid, name in ((X, "x"), (Y, "y")):
            desk.store.providers.create(uuid, name, None, desk.deadline())
        desk.store.inventories.add(X, "CUSTOM_A", Inventory(9), desk.deadline())
        return pair

    @staticmethod
    def rename(desk: Desk) -> None:
        desk.store.resource_classes.rename("CUSTOM_A", "CUSTOM_B", desk.deadline())

    def test_a_provider_that_just_got_the_class_is_locked_as_well(
        self, pair: Pair, hook: Hook
    ) -> None:
        desk, other = pair
        locked: list[bool] = []
        item = Inventory(3)
        hook.before(
            ledger,
            "lock",
            lambda: other.store.inventories.add(Y, "CUSTOM_A", item, other.deadline()),
        )
        hook.before(
            Catalogue, "create", lambda: locked.append(is_locked(other, "resource_providers", Y))
        )
        self.rename(desk)
        assert locked == [True]
        for name in ("x", "y"):
            assert list(desk.providers()[name].stocks) == ["CUSTOM_B"]

    def test_a_consumer_that_has_just_come_is_locked_as_well(self, pair: Pair, hook: Hook) -> None:
        desk, other = pair
        locked: list[bool] = []
        consumer = str(uuid4())
        hook.before(ledger, "lock", lambda: other.claim("x", consumer, CUSTOM_A=2))
        hook.before(
            Catalogue, "create", lambda: locked.append(is_locked(other, "consumers", consumer))
        )
        self.rename(desk)
        assert locked == [True]
        assert desk.held(consumer).allocations == {X: {"CUSTOM_B": 2}}
        assert desk.discrepancies() == []

    def test_one_that_somebody_else_has_is_not_waited_for(
        self, pair: Pair, hook: Hook, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk, other = pair
        consumer, runs = str(uuid4()), []
        engine = other.store._database._engine  # type: ignore[union-attr]
        once, sql = Renaming.run, "SELECT id FROM consumers WHERE uuid = :uuid FOR UPDATE"
        with engine.connect() as holder:

            def come() -> None:
                other.claim("x", consumer, CUSTOM_A=2)
                holder.execute(sa.text(sql), {"uuid": consumer}).one()

            def run(*args: object) -> None:
                runs.append(args)
                if len(runs) > 1:
                    holder.rollback()
                once(*args)  # type: ignore[arg-type]

            monkeypatch.setattr(Renaming, "run", run)
            hook.before(ledger, "lock", come)
            self.rename(desk)
        assert len(runs) == 2
        assert desk.held(consumer).allocations == {X: {"CUSTOM_B": 2}}
