"""What the facade does around every call, over fakes."""

import copy
import logging
import threading
from types import SimpleNamespace

import pytest

from scheduler_lib import SchedulerClient
from scheduler_lib.exceptions import (
    BackendFailure,
    BackendUnavailable,
    ClientClosed,
    DeadlineExceeded,
    HostNotFound,
    InvalidConfiguration,
    InvalidInput,
    InvalidRequest,
    InvalidStats,
    NoValidHost,
    PluginNotFound,
    RequestKeyMismatch,
    SchedulerLibError,
    UnsupportedOperation,
)
from scheduler_lib.model.decision import Decision, Destination
from scheduler_lib.testing import (
    FakeQuery,
    FakeReport,
    ManualClock,
    SchedulerClientFixture,
    a_host,
    a_legacy_request,
    a_request,
)

U1 = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def query():
    return FakeQuery(hosts=["h1", ("h2", "n2"), "h3"])


@pytest.fixture
def report():
    return FakeReport()


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def client(query, report, clock):
    with SchedulerClient(query=query, report=report, clock=clock) as client:
        yield client


def down(**fields):
    return BackendUnavailable("no answer", backend="fake", **fields)


class TestShapes:
    def test_plain_answer_is_a_dictionary_for_each_instance_in_order(self, client):
        spec, properties = a_legacy_request(instances=2)
        assert client.select_destinations(None, spec, properties) == [
            {"host": "h1", "nodename": "h1", "limits": {}},
            {"host": "h2", "nodename": "n2", "limits": {}},
        ]

    def test_objects_are_lists_that_begin_with_the_destination(self, client):
        spec, properties = a_legacy_request()
        given = client.select_destinations(None, spec, properties, return_objects=True)
        assert [[item.host for item in items] for items in given] == [["h1"]]
        assert isinstance(given[0][0], Destination)

    def test_alternates_follow_the_destination(self, client):
        spec, properties = a_legacy_request()
        (given,) = client.select_destinations(
            None, spec, properties, return_objects=True, return_alternates=True
        )
        assert [item.host for item in given] == ["h1", "h2", "h3"]

    def test_alternates_are_not_even_looked_for_without_objects(self, client, query):
        client.select_destinations(None, *a_legacy_request(), return_alternates=True)
        assert query.calls[-1].request.alternates == 0

    def test_spec_obj_is_taken_instead_of_dictionaries(self, client, query):
        spec = {"nova_object.data": {"flavor": {"vcpus": 1}}}
        client.select_destinations(None, spec_obj=spec, instance_uuids=[U1])
        assert query.calls[-1].consumer_uuids == (U1,)

    def test_select_resources_takes_both_in_one_dictionary(self, client):
        spec, properties = a_legacy_request()
        asked = {"request_spec": spec, "filter_properties": properties}
        given = client.select_resources(None, asked)
        assert given == [{"host": "h1", "nodename": "h1", "limits": {}}]

    def test_nothing_asked_is_an_error(self, client):
        with pytest.raises(InvalidRequest, match="request_spec"):
            client.select_destinations(None)

    @pytest.mark.parametrize("asked", [None, [], {"request_spec": None}, {"request_spce": {}}])
    def test_select_resources_refuses_what_is_no_request(self, client, asked):
        with pytest.raises(InvalidRequest, match="request"):
            client.select_resources(None, asked)

    def test_typed_select_refuses_what_is_no_request(self, client):
        with pytest.raises(InvalidRequest, match="Request"):
            client.select(None, {"VCPU": 1})

    @pytest.mark.parametrize("key", ["", "x" * 256, 7])
    def test_request_key_is_a_short_text(self, client, key):
        with pytest.raises(InvalidRequest, match="request_key"):
            client.select(None, a_request(VCPU=1).build(), request_key=key)

    def test_dry_run_takes_no_request_key(self, client):
        with pytest.raises(InvalidRequest, match="dry run"):
            client.select(None, a_request(VCPU=1).build(), request_key="k", dry_run=True)

    def test_context_reaches_the_backend_as_it_is(self, client, query):
        context = object()
        client.select(context, a_request(VCPU=1).build())
        assert query.calls[-1].context is context

    @pytest.mark.parametrize("consumers", [U1, None, 7, {"a": 1}, ["x"], [None]])
    def test_release_refuses_what_is_no_list_of_uuids(self, client, consumers):
        with pytest.raises(InvalidRequest, match="consumer_uuids"):
            client.release(None, consumers)

    def test_release_of_nobody_asks_nobody(self, client, query):
        assert client.release(None, []) == ()
        assert query.calls == []

    def test_release_names_who_held_something(self, client):
        request = a_request(VCPU=1).build()
        client.select(None, request)
        assert client.release(None, [*request.consumers, U1]) == request.consumers

    def test_consumer_that_is_named_twice_is_released_once(self, client):
        request = a_request(VCPU=1).build()
        client.select(None, request)
        (consumer,) = request.consumers
        assert client.release(None, [consumer, consumer.upper()]) == (consumer,)


class TestCallersObjects:
    def test_request_dictionaries_stay_as_they_were(self, client):
        spec, properties = a_legacy_request(extra_specs={"resources:VCPU": "2"})
        before = copy.deepcopy((spec, properties))
        client.select_destinations(None, spec, properties)
        assert (spec, properties) == before

    def test_stats_stay_as_they_were_and_are_not_kept(self, client):
        stats = {"vcpus": 1, "stats": {"a": [1]}, "inventories": {"VGPU": {"total": 1}}}
        before = copy.deepcopy(stats)
        client.update_resource_stats(None, "h1", stats)
        assert stats == before
        stats["stats"]["a"].append(2)
        client.update_resource_stats(None, "h1", stats)
        assert client.get_resource_stats(None, "h1")["stats"] == {"a": [1, 2]}


class TestRetries:
    def test_select_is_not_repeated_when_nobody_knows_what_became_of_it(self, client, query):
        """P01: the first call may still run."""
        query.script(down())
        with pytest.raises(BackendUnavailable):
            client.select(None, a_request(VCPU=1).build())
        assert len(query.calls) == 1

    def test_select_is_repeated_when_nothing_was_sent(self, client, query):
        query.script(down(sent=False))
        assert client.select(None, a_request(VCPU=1).build()).destinations[0].host == "h1"
        assert client.statistics.of("select").retries == 1

    def test_select_with_a_request_key_is_repeated(self, client, query):
        query.script(down(), down())
        client.select(None, a_request(VCPU=1).build(), request_key="k")
        assert [call.request_key for call in query.calls] == ["k", "k", "k"]

    def test_dry_run_is_repeated(self, client, query):
        query.script(down())
        client.select(None, a_request(VCPU=1).build(), dry_run=True)
        assert len(query.calls) == 2

    def test_report_is_repeated(self, client, report):
        report.fail_next(down(), down())
        client.update_resource_stats(None, "h1", {"vcpus": 1})
        assert client.get_resource_stats(None, "h1")["vcpus"] == 1

    def test_delete_is_not_repeated(self):
        class Lossy(FakeReport):
            tries = 0

            def delete(self, context, name, *, deadline=None):
                self.tries += 1
                raise down()

        lossy = Lossy()
        with (
            SchedulerClient(query=FakeQuery(), report=lossy) as client,
            pytest.raises(BackendUnavailable),
        ):
            client.delete_resource(None, "h1")
        assert lossy.tries == 1

    def test_tries_end_after_the_configured_number(self, client, report, clock):
        report.fail_next(*(down() for _ in range(9)))
        with pytest.raises(BackendUnavailable):
            client.update_resource_stats(None, "h1", {"vcpus": 1})
        assert len(report.reports) == 3
        assert len(clock.slept) == 2

    def test_waits_are_random_and_bounded(self, client, report, clock):
        for _ in range(20):
            report.fail_next(down(), down())
            client.update_resource_stats(None, "h1", {"vcpus": clock.slept.__len__() + 1})
        assert all(0 <= wait <= 2.0 for wait in clock.slept)
        assert len(set(clock.slept)) > 20

    @pytest.mark.parametrize("error", [NoValidHost("full"), RequestKeyMismatch("other")])
    def test_answers_are_not_repeated(self, client, query, error):
        query.script(error)
        with pytest.raises(type(error)):
            client.select(None, a_request(VCPU=1).build(), request_key="k")
        assert len(query.calls) == 1


class TestDeadlines:
    def test_retries_end_with_the_deadline(self, client, report, clock):
        class Slow(FakeReport):
            def update(self, context, name, stats, *, deadline=None):
                clock.advance(6)
                raise down()

        with (
            SchedulerClient(query=FakeQuery(), report=Slow(), clock=clock) as slow,
            pytest.raises(DeadlineExceeded) as caught,
        ):
            slow.update_resource_stats(None, "h1", {"vcpus": 1}, deadline_s=5)
        assert caught.value.fields["deadline_s"] == 5
        assert set(clock.slept) <= {0}

    def test_one_deadline_holds_for_the_whole_call(self, client, query, clock):
        seen = []

        class Watching(FakeQuery):
            def select(self, context, request, *, deadline=None, **rest):
                seen.append(deadline.remaining_s())
                clock.advance(1)
                return super().select(context, request, deadline=deadline, **rest)

        watching = Watching().script(down(sent=False))
        with SchedulerClient(query=watching, report=FakeReport(), clock=clock) as client:
            client.select(None, a_request(VCPU=1).build(), deadline_s=10)
        assert seen[0] == 10
        assert seen[1] <= 9

    @pytest.mark.parametrize("seconds", [0, -1, "5", True, float("nan"), float("inf")])
    def test_deadline_is_a_positive_number(self, client, seconds):
        with pytest.raises(InvalidInput, match="deadline_s"):
            client.list_resource_stats(None, deadline_s=seconds)


class TestReports:
    def test_unchanged_report_is_not_sent_again(self, client, report):
        """X03: 10 times the same, then only updated_at, then one number: 1, 0, 1."""
        for _ in range(10):
            a_host("h1").report(client)
        assert len(report.reports) == 1
        a_host("h1").field(updated_at="2026-01-01T00:00:00Z").report(client)
        assert len(report.reports) == 1
        a_host("h1").vcpus(9).report(client)
        assert len(report.reports) == 2
        assert client.statistics.of("update_resource_stats").dropped == 10

    def test_report_that_failed_is_sent_again(self, client, report):
        report.fail_next(InvalidStats("refused"))
        with pytest.raises(InvalidStats):
            a_host("h1").report(client)
        a_host("h1").report(client)
        assert client.get_resource_stats(None, "h1")["vcpus"] == 8

    def test_report_from_before_a_failed_one_is_sent_again(self, client, report):
        """Nobody knows whether the failed one was stored."""
        a_host("h1").report(client)
        report.fail_next(InvalidStats("refused"))
        with pytest.raises(InvalidStats):
            a_host("h1").vcpus(9).report(client)
        a_host("h1").report(client)
        assert len(report.reports) == 3

    def test_report_after_a_delete_is_sent(self, client):
        a_host("h1").report(client)
        client.delete_resource(None, "h1")
        a_host("h1").report(client)
        assert client.get_resource_stats(None, "h1")["vcpus"] == 8

    def test_unchanged_report_is_sent_when_the_last_one_is_old(self):
        """Another process may have deleted the host: its tracker brings it back in the end."""
        clock, report = ManualClock(), FakeReport()
        client = SchedulerClient(report=report, query=FakeQuery(), clock=clock)
        a_host("h1").report(client)
        clock.advance(599)
        a_host("h1").report(client)
        assert len(report.reports) == 1
        clock.advance(2)
        a_host("h1").report(client)
        assert len(report.reports) == 2

    def test_same_stats_of_another_host_are_sent(self, client, report):
        a_host("h1").report(client)
        a_host(("h1", "n2")).report(client)
        assert len(report.reports) == 2

    def test_overlapping_reports_of_one_host_are_not_remembered(self):
        """They may arrive in either order, so the next one is sent whatever it says."""
        arrived, go_on = threading.Event(), threading.Event()

        class Slow(FakeReport):
            def update(self, context, name, stats, *, deadline=None):
                if stats.columns["vcpus"] == 8:
                    arrived.set()
                    go_on.wait(10)
                super().update(context, name, stats)

        slow = Slow()
        with SchedulerClient(query=FakeQuery(), report=slow) as client:
            first = threading.Thread(target=a_host("h1").report, args=(client,))
            first.start()
            arrived.wait(10)
            a_host("h1").vcpus(9).report(client)
            go_on.set()
            first.join()
            a_host("h1").vcpus(9).report(client)
            assert client.get_resource_stats(None, "h1")["vcpus"] == 9

    @pytest.mark.parametrize("name", [None, "", " ", ("h",), ("h", ""), ("h", "n", "x"), 7, "a\nb"])
    def test_wrong_name_is_refused(self, client, report, name):
        with pytest.raises(InvalidStats):
            client.update_resource_stats(None, name, {"vcpus": 1})
        assert report.reports == []

    def test_name_and_stats_agree(self, client, report):
        with pytest.raises(InvalidStats, match="hypervisor_hostname"):
            client.update_resource_stats(None, "h1", {"hypervisor_hostname": "n1"})
        stats = {"host": "h1", "hypervisor_hostname": "n1", "vcpus": 1}
        client.update_resource_stats(None, ("h1", "n1"), stats)
        assert len(report.reports) == 1

    def test_reading_an_unknown_host_is_an_error(self, client):
        with pytest.raises(HostNotFound):
            client.get_resource_stats(None, "h9")


class TestErrors:
    @pytest.mark.parametrize(
        ("raised", "told"),
        [
            (ConnectionResetError("reset"), BackendUnavailable),
            (TimeoutError("late"), BackendUnavailable),
            (KeyError("x"), BackendFailure),
            (RuntimeError("y" * 1000), BackendFailure),
        ],
    )
    def test_every_error_of_a_backend_is_one_of_our_tree(self, client, query, raised, told):
        query.script(raised)
        with pytest.raises(told) as caught:
            client.select(None, a_request(VCPU=1).build())
        assert caught.value.__cause__ is raised
        assert len(str(caught.value)) < 300
        assert caught.value.hint

    def test_our_own_errors_pass_as_they_are(self, client, query):
        error = NoValidHost("full")
        query.script(error)
        with pytest.raises(NoValidHost) as caught:
            client.select(None, a_request(VCPU=1).build())
        assert caught.value is error

    def test_interruptions_are_nobodys_error(self, client, query):
        query.script(lambda request: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            client.select(None, a_request(VCPU=1).build())

    def test_refused_decision_is_carried_by_the_error(self, client, query):
        query.script(Decision(reason="nothing fits"))
        with pytest.raises(NoValidHost, match="nothing fits") as caught:
            client.select(None, a_request(VCPU=1).build())
        assert caught.value.decision.reason == "nothing fits"

    def test_what_a_backend_does_not_offer_is_told(self, client):
        with pytest.raises(UnsupportedOperation) as caught:
            client.explain(None, a_request(VCPU=1).build())
        assert caught.value.fields["capability"] == "explains"

    def test_unknown_backend_is_told_with_the_nearest(self):
        with (
            SchedulerClient(query="locl", report=FakeReport()) as client,
            pytest.raises(PluginNotFound, match="Did you mean 'local'"),
        ):
            client.select(None, a_request(VCPU=1).build())

    def test_object_that_is_no_backend_is_refused(self):
        with (
            SchedulerClient(query=object(), report=FakeReport()) as client,
            pytest.raises(InvalidConfiguration, match="no query backend"),
        ):
            client.select(None, a_request(VCPU=1).build())


class TestLife:
    def test_closed_client_says_so(self, query, report):
        client = SchedulerClient(query=query, report=report)
        client.list_resource_stats(None)
        client.close()
        client.close()
        for call in (
            lambda: client.list_resource_stats(None),
            lambda: client.select(None, a_request(VCPU=1).build()),
            lambda: client.update_resource_stats(None, "h1", {"vcpus": 1}),
        ):
            with pytest.raises(ClientClosed):
                call()
        assert report.closed

    def test_client_that_was_never_used_can_be_closed(self):
        client = SchedulerClient()
        client.close()
        with pytest.raises(ClientClosed):
            client.list_resource_stats(None)

    def test_first_calls_of_many_threads_share_one_backend(self):
        """Had two been made, what one of them holds could not be released."""
        barrier = threading.Barrier(8)
        requests = [a_request(VCPU=1).build() for _ in range(8)]
        consumers = [request.consumers[0] for request in requests]
        with SchedulerClientFixture(query="fake", report="fake") as fixture:
            client = SchedulerClient(fixture.conf, query="fake", report="fake")

            def ask(request):
                barrier.wait(10)
                client.select(None, request)

            threads = [threading.Thread(target=ask, args=(item,)) for item in requests]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert client.release(None, consumers) == tuple(consumers)
            assert client.statistics.of("select").calls == 8
            client.close()


class TestNumbersAndLogs:
    def test_calls_errors_and_times_are_counted(self, query, report, clock):
        def late(request):
            clock.advance(2)
            raise NoValidHost("full")

        with SchedulerClient(query=query, report=report, clock=clock) as client:
            client.select(None, a_request(VCPU=1).build())
            query.script(late)
            with pytest.raises(NoValidHost):
                client.select(None, a_request(VCPU=1).build())
            numbers = client.statistics.of("select")
        assert (numbers.calls, numbers.seconds, numbers.longest_s) == (2, 2, 2)
        assert numbers.errors == {NoValidHost.code: 1}
        assert list(client.statistics.all()) == ["select"]
        assert client.statistics.of("release").calls == 0

    @pytest.mark.parametrize(
        "context", [SimpleNamespace(request_id="req-X"), {"request_id": "req-X"}]
    )
    def test_request_id_begins_every_log_line(self, client, report, caplog, context):
        """V07: one id through all layers."""
        caplog.set_level(logging.DEBUG, "scheduler_lib")
        report.fail_next(down())
        a_host("h1").report(client, context)
        a_host("h1").report(client, context)
        with pytest.raises(SchedulerLibError):
            client.explain(context, a_request(VCPU=1).build())
        lines = [record.getMessage() for record in caplog.records]
        assert len(lines) == 3
        assert all(line.startswith("req-X ") for line in lines)

    def test_context_without_an_id_is_fine(self, client, caplog):
        caplog.set_level(logging.DEBUG, "scheduler_lib")
        with pytest.raises(SchedulerLibError):
            client.explain(object(), a_request(VCPU=1).build())
        assert caplog.records[0].getMessage().startswith("explain")
