"""Reminder providers: their registry, the option that enables them, and their evaluation at an event."""

from __future__ import annotations

from types import MethodType

from harnlite.agent.hooks.callbacks import GuardedCalls
from harnlite.agent.sessions.reminding import clear, write_records, write_repeated
from harnlite.reminders import lifecycle
from harnlite.reminders.effects import hook_context, read_effects
from harnlite.reminders.enabled_providers import CANONICAL, Enabled, select
from harnlite.reminders.hook_events import POST_STEP
from harnlite.reminders.lifecycle import KIND_PREFIX, Record
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import PROVIDER_SOURCE
from harnlite.reminders.wire import PROVIDER, malformed_text
from harnlite.runtime.marks import WATCHER
from harnlite.runtime.modules import modules_of
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.store.event_log import RepeatedRecords
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from harnlite.agent.sessions.session import Session
    from harnlite.reminders.effects import Effects
    from harnlite.reminders.wire import Fields
    from harnlite.runtime.tasks.execution import Execution

    Closure = Callable[..., object]

_KEY = "reminder_providers"
_EVALUATED = "provider_evaluated"
_MOST_KEPT = 64


class ReminderProvider:
    """A provider that returns reminders at events; without a closure, it is a canonical one, which all runs share."""

    __slots__ = ("_evaluate", "events", "id", "is_canonical")

    def __init__(self, provider_id: str, events: Collection[str], evaluate: Closure | None = None) -> None:
        self.id = provider_id
        self.events = frozenset(events)
        self._evaluate = evaluate
        self.is_canonical = evaluate is None

    def closure(self, run: Execution) -> Closure:
        """Return the closure that evaluates the provider in a run."""
        if self._evaluate is not None:
            return self._evaluate
        return registry_of(run).canonical_closure(run, self.id)


_CANONICAL = {name: ReminderProvider(name, events) for name, events in CANONICAL.items()}
_ALL_CANONICAL = tuple(_CANONICAL.values())
_SUBSCRIBED = {
    event: tuple(one for one in _CANONICAL.values() if event in one.events)
    for event in frozenset().union(*CANONICAL.values())
}
_QUIET: dict[tuple[str, tuple[str, ...]], RepeatedRecords] = {}
"""The records of canonical providers that had nothing to say: a log keeps them once for the runs that write to it."""


class Registry:
    """The reminder providers of a run: the canonical ones, then those of the script in the order of registration."""

    __slots__ = ("_all", "_closures", "_own", "_quiet", "_spoken", "_subscribed")

    def __init__(self) -> None:
        self._closures: dict[str, Closure] = {}
        """The closures of the canonical providers that the run has called."""
        self._own: dict[str, ReminderProvider] = {}
        self._quiet: dict[tuple[str, tuple[str, ...]], RepeatedRecords] = {}
        self._spoken: dict[tuple[str, str], Record] = {}
        self._refresh()

    def spoken_record(self, event: str, name: str) -> Record:
        """Return the record of a provider that made reminders at an event."""
        found = self._spoken.get((event, name))
        if found is None:
            found = Record(_EVALUATED, {"provider_id": name, "event": event, "fired": True})
            if len(self._spoken) < _MOST_KEPT:
                self._spoken[event, name] = found
        return found

    def quiet_records(self, event: str, names: tuple[str, ...]) -> RepeatedRecords:
        """Return the records of providers that had nothing to say at an event."""
        key = (event, names)
        found = _QUIET.get(key) or self._quiet.get(key)
        if found is None:
            parts: list[dict[str, object]] = [{"provider_id": name, "event": event, "fired": False} for name in names]
            found = RepeatedRecords(KIND_PREFIX + _EVALUATED, parts)
            kept = _QUIET if _CANONICAL.keys() >= set(names) else self._quiet
            if len(kept) < _MOST_KEPT:
                kept[key] = found
        return found

    def canonical_closure(self, run: Execution, name: str) -> Closure:
        """Return the closure of a canonical provider, whose module is loaded on the first call."""
        found = self._closures.get(name)
        if found is None:
            exported = modules_of(run).exports_of(f"std/providers/{name}")
            found = self._closures[name] = exported[name]()["evaluate"]
        return found

    def register(self, reminder_provider: ReminderProvider) -> None:
        """Register a provider after the others; one with a canonical id takes the place of the canonical provider."""
        self._own.pop(reminder_provider.id, None)
        self._own[reminder_provider.id] = reminder_provider
        self._refresh()

    def clear(self) -> None:
        """Remove the providers of the script."""
        self._own.clear()
        self._refresh()

    def subscribed(self, event: str) -> tuple[ReminderProvider, ...]:
        """Return the providers that are subscribed to an event, in order."""
        if not self._own:
            return _SUBSCRIBED.get(event, ())
        found = self._subscribed.get(event)
        if found is None:
            found = self._subscribed[event] = tuple(one for one in self._all if event in one.events)
        return found

    @property
    def ids(self) -> list[str]:
        """Return the ids of all providers, in order."""
        return [one.id for one in self._all]

    @property
    def replaced(self) -> set[str]:
        """Return the canonical ids that providers of the script use."""
        return self._own.keys() & _CANONICAL.keys()

    def _refresh(self) -> None:
        self._subscribed: dict[str, tuple[ReminderProvider, ...]] = {}
        if not self._own:
            self._all = _ALL_CANONICAL
            return
        first = [self._own.get(name, one) for name, one in _CANONICAL.items()]
        self._all = (*first, *(one for name, one in self._own.items() if name not in _CANONICAL))


def registry_of(run: Execution) -> Registry:
    """Return the reminder providers of a run."""
    return run.peek(_KEY) or _new_registry(run)


def watch_steps(run: Execution) -> None:
    """Enable the step events of a run for hooks and reminder providers."""
    run.state(WATCHER, lambda: MethodType(_run_step, run))


def _run_step(
    run: Execution, function: Callable[..., object], name: str, title: str, args: tuple[object, ...]
) -> object:
    from harnlite.agent.reminder_providers.persona_steps import carry_out

    return carry_out(run, _remind_after_step, function, name, title, args)


def _remind_after_step(run: Execution, session: Session, payload: dict[str, object]) -> None:
    """Evaluate the reminder providers of the loop that a step belongs to."""
    options = getattr(session.loop, "options", None)
    if options is not None and is_wanted(run, POST_STEP, options.enabled):
        payload = {**payload, "session": {"id": session.id}, "iteration": session.turn}
        fire(run, session, POST_STEP, payload, options.given, options.enabled)


def _new_registry(run: Execution) -> Registry:
    # Reminder providers can subscribe to steps, so step events must be enabled too.
    watch_steps(run)
    return run.state(_KEY, Registry)


_OFF = Enabled(is_on=False)
_ALL = Enabled(is_on=True)


def enabled_of(run: Execution, options: dict[str, object], *, is_lenient: bool = False) -> Enabled:
    """Read the option `reminders`; throw if it is invalid or, unless `is_lenient`, names an unregistered provider."""
    wanted = options.get("reminders")
    if wanted is None or wanted is True:
        return _ALL
    if wanted is False:
        return _OFF
    if wanted.__class__ is list:
        wanted = {"providers": wanted}
    if wanted.__class__ is not dict:
        raise thrown(f"agent_loop: reminders must be a bool, list, dict, or nil, got {type_name(wanted)}")
    if wanted.get("enabled") is False:
        return _OFF
    return Enabled(is_on=True, removed=_removed(run, wanted, is_lenient=is_lenient), options=wanted)


def _removed(run: Execution, wanted: dict[str, object], *, is_lenient: bool) -> frozenset[str]:
    """Check the dict of the option and return the ids of the providers that it removes."""
    from harnlite.agent.reminder_providers.settings import wrong_id, wrong_setting

    entries = wanted.get("providers")
    if entries is not None and entries.__class__ is not list:
        raise thrown(f"agent_loop: reminders.providers must be a list or nil, got {type_name(entries)}")
    named: list[str] = [] if not isinstance(entries, list) else entries
    for entry in named:
        if entry.__class__ is not str:
            raise thrown(f"agent_loop: reminders.providers entries must be strings, got {type_name(entry)}")
    registry = registry_of(run)
    known = registry.ids
    wrong = (None if is_lenient else wrong_id(named, known)) or wrong_setting(wanted, known, registry.replaced)
    if wrong is not None:
        raise thrown(f"agent_loop: {wrong}")
    return select(named)[0]


def is_wanted(run: Execution, event: str, enabled: Enabled) -> bool:
    """Return whether an event has enabled reminder providers; if not, the caller can skip the payload."""
    return enabled.is_on and bool(registry_of(run).subscribed(event))


def fire(
    run: Execution,
    session: Session | None,
    event: str,
    payload: dict[str, object],
    options: dict[str, object],
    enabled: Enabled,
) -> dict[str, object]:
    """Evaluate the reminder providers of an event, and inject the reminders that they return into the session."""
    reports: list[object] = []
    if session is not None and enabled.is_on:
        chosen = [one for one in registry_of(run).subscribed(event) if one.id not in enabled.removed]
        if chosen:
            Evaluation(run, session, event, payload, options).run_all(chosen, enabled, reports)
    return {"fired_count": len(reports), "reports": reports}


class Evaluation:
    """The evaluation of reminder providers at one event; they share a context, and their records are batched."""

    __slots__ = ("_context", "_event", "_occasion", "_quiet", "_records", "_run", "_session", "_turn")

    def __init__(
        self, run: Execution, session: Session, event: str, payload: dict[str, object], options: dict[str, object]
    ) -> None:
        known: dict[str, object] = {"event": event, "session": {"id": session.id}, "session_id": session.id}
        payload = {**known, **payload}
        self._run = run
        self._session = session
        self._event = event
        self._turn = _turn_of(payload)
        self._context = {**known, "payload": payload, "options": options}
        from harnlite.agent.reminder_providers.silence import Occasion

        self._occasion = Occasion(run, session, event, payload, options)
        self._records: list[Record] = []
        self._quiet: list[str] = []
        """The ids of the last providers that had nothing to say; their records follow those in `_records`."""

    def run_all(self, chosen: list[ReminderProvider], enabled: Enabled, reports: list[object]) -> None:
        """Evaluate the providers in order, up to the first one that throws."""
        configs = ((one, enabled.config_of(one.id)) for one in chosen)
        try:
            for one, config in configs:
                if self._is_silent(one, config):
                    continue
                with GuardedCalls(self._run) as guarded:  # only from here on, because most events are silent
                    self._run_one(guarded, one, config, reports)
                    for later, its_config in configs:
                        if not self._is_silent(later, its_config):
                            self._run_one(guarded, later, its_config, reports)
        finally:
            self._flush()

    def _is_silent(self, one: ReminderProvider, config: object) -> bool:
        """Return whether a provider certainly has nothing to say, and note that."""
        is_silent = one.is_canonical and self._occasion.is_silent(one.id, config)
        if is_silent:
            self._note(one, fired=False)
        return is_silent

    def _run_one(self, guarded: GuardedCalls, one: ReminderProvider, config: object, reports: list[object]) -> None:
        try:
            value = guarded.call(one.closure(self._run), {**self._context, "config": config})
        except CATCHABLE as error:
            failure = script_error(error)
            if failure is not None:
                self._note(one, fired=False, error=uncaught_text(failure))
            raise
        if value is None:
            self._note(one, fired=False)
            return
        effects = self._effects(one, value)
        self._note(one, fired=bool(effects.fields))
        for step in effects.steps:
            if isinstance(step, Selector):
                self._flush()
                clear(self._run, self._session, step)
            else:
                reports.append(self._inject(one, step))
        self._flush()

    def _effects(self, one: ReminderProvider, value: object) -> Effects:
        """Return the effects in a returned value; an invalid value is recorded and thrown as an error."""
        effects = read_effects(value, type_name, self._event, PROVIDER, canonical=one.is_canonical)
        fault = effects.fault
        if fault is None:
            return effects
        text = malformed_text(one.id, hook_context(self._event), fault)
        self._note(one, fired=False, error=text)
        error = thrown(text)
        error.culprit = one.closure(self._run)
        raise error

    def _inject(self, one: ReminderProvider, fields: Fields) -> dict[str, object]:
        session = self._session
        turn = session.turn if self._turn is None else self._turn
        spec = fields.spec(id=self._run.ids.uuid7(), source=PROVIDER_SOURCE, fired_at_turn=turn, maker=one.id)
        injection = lifecycle.inject(session.transcript, spec)
        session.transcript = injection.transcript
        self._records += injection.records
        return {"provider": one.id, "reminder_id": spec.id, "deduped_count": injection.deduped_count}

    def _note(self, one: ReminderProvider, *, fired: bool, error: str | None = None) -> None:
        if not fired and error is None:
            self._quiet.append(one.id)
            return
        self._write_quiet()
        if error is None:
            self._records.append(registry_of(self._run).spoken_record(self._event, one.id))
        else:
            payload = {"provider_id": one.id, "event": self._event, "fired": fired, "error": error}
            self._records.append(Record(_EVALUATED, payload))

    def _write_quiet(self) -> None:
        """Write the records of the providers that had nothing to say, which are the same in most turns."""
        if self._quiet:
            names, self._quiet = tuple(self._quiet), []
            records = registry_of(self._run).quiet_records(self._event, names)
            write_repeated(self._run, self._session.id, records)

    def _flush(self) -> None:
        """Write the records so far."""
        self._write_quiet()
        if self._records:
            records, self._records = self._records, []
            write_records(self._run, self._session.id, records)


def _turn_of(payload: dict[str, object]) -> int | None:
    """Return the turn number in a payload, or None."""
    for name in ("iteration", "turn"):
        value = payload.get(name)
        if value.__class__ is int and value >= 0:
            return value
        if value is not None:
            break
    return None
