"""A lazy dict is created on first access and is indistinguishable from the dict that it represents."""

import copy
import io
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.compiler.compilation import written_code
from harnlite.diagnostics.source import Source
from harnlite.formats.json.writing import json_text
from harnlite.host.conversion import to_harn, to_python
from harnlite.library import Natives
from harnlite.runtime import property_access
from harnlite.runtime.modules import Modules, Program
from harnlite.runtime.tasks.execution import Execution
from harnlite.stack import on_large_stack
from harnlite.values.data_types import LazyDict, is_callable, type_name
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.keys import equality_key, key_text, structural_key
from tests.samples import count

PLAIN = {"name": "n", "items": [3, 1, 2], "deep": {"b": 1, "a": None}, "count": 5, "key": "k", "value": 2.5}

EXPRESSIONS = """
type_of(d)
d
"${d} and ${d.name}"
to_string(d)
len(d)
d.count
d.name
d.absent
d.items[0]
d?.name
d?.absent?.more
d["name"]
d[nil]
d["items"][1]
d?["count"]
d.deep.b
d == p
p == d
d == d
d != p
[d] == [p]
{x: d} == {x: p}
d == {...p, name: "other"}
d == nil
d + {z: 1}
{z: 1, name: "first"} + d
d + d
d + 1
d - 1
d < p
!d
d && true
d || 1
d ?? 1
if d { "yes" } else { "no" }
d ? 1 : 2
"name" in d
"nothing" in d
d in [p]
p in [d]
"nothing" not in d
[1, p].contains(d)
[p].index_of(d)
{...d}
{...d, name: 1}
{x: 1, ...d}
keys(d)
values(d)
entries(d)
d.keys()
d.values()
d.entries()
d.count()
d.has("name")
d.has("other")
d.get("name")
d.get("other", 7)
d.merge({q: 1})
{q: 1}.merge(d)
d.remove("name")
d.remove("other")
d.filter({ v -> v == 5 })
d.map_values({ v -> type_of(v) })
d.map_keys({ k -> k + "!" })
d.rekey({ k -> k + "!" })
d.iter().to_list()
iter(d).to_list()
d.nothing()
d.items.map({ x -> x + 1 })
d[0:1]
d.items[0:2]
d("call")
json_stringify(d)
json_stringify([d, {d: d}])
json_pointer(d, "/deep/b")
json_pointer_set(d, "/deep/c", 9)
json_pointer_delete(d, "/deep/b")
yaml_stringify(d)
yaml_stringify({x: d})
toml_stringify(d.remove("deep"))
toml_stringify({x: d.remove("deep")})
jq(d, ".items[1]")
jq(d, "keys")
jq(d, ".deep | length")
jq({x: d}, ".x.name")

format("{name} has {count}", d)
schema_check(d, {type: "dict", properties: {name: {type: "string"}}})
schema_check(d, {type: "object", properties: {name: {type: "int"}}})
schema_check({x: d}, {type: "dict", properties: {x: {type: "dict", required: ["name"]}}})
schema_is(d, {type: "dict"})
set(d, p)
set(d).contains(p)
[d, p, d].unique()

set(d, 1).union(set(p))
hash_value(d) == hash_value(p)
is_same(d, d)
is_same(d, p)
to_list(d)
pair(d, p)
Ok(d)
unwrap(Ok(d)).name
[d, p].map({ x -> x.name })
[d].flat_map({ x -> x.keys() })
[d].group_by({ x -> x.name })
[d].sort_by({ x -> x.count })
[{n: 1, d: d}]
d |> keys
d |> len
to_int(d)
error_category(d)

uppercase(d)
describe(d)
described(d)
looked(d)
matched(d)
matched_deep({x: d})
walked(d)
walked_pairs(d)
taken(d)
taken_rest(d)
taken_default(d)
written(d)
written_twice(d)
written_deep(d)
written_item(d)
written_index(d)
written_compound(d)
written_global(d)
caught(d)
typed(d)
shaped(d)
handed(d)
guarded(d)
spread_call(d)
structured(d)
"""

PRELUDE = """
type Named = {name: string, count: int}
struct Holder { name: string, count: int }
fn describe(x: dict) { return x.name }
fn described(x: {name: string}) { return x.name + "!" }
fn looked(x) { return [x.name, x["name"], x?.name, x.items.count, x.deep["b"]] }
fn matched(x) { match x { {name: "n", count: c} -> { return c } _ -> { return "none" } } }
fn matched_deep(x) { match x { {x: inner} -> { return inner.name } _ -> { return "none" } } }
fn walked(x) { var out = []; for e in x { out = out.push(e.key) }; return out }
fn walked_pairs(x) { var out = []; for {key, value} in x { out = out.push([key, value]) }; return out }
fn taken(x) { let {name, deep} = x; return [name, deep] }
fn taken_rest(x) { let {name, ...rest} = x; return rest }
fn taken_default(x) { let {other = 3, name: called} = x; return [other, called] }
fn written(x) { var y = x; y.name = "changed"; return [y, x] }
fn written_twice(x) { var y = x; y.name = "a"; y["more"] = 1; y.name = "b"; return [y, x, type_of(y)] }
fn written_deep(x) { var y = x; y.deep.b = 9; y.deep.list = x.items; return [y, x] }
fn written_item(x) { var y = [x]; y[0].name = "z"; return [y, x] }
fn written_index(x) { var y = x; for k in ["q", "r", "name"] { y[k] = k }; return [y, x] }
fn written_compound(x) { var y = x; y.count += 1; y["count"] += 2; return [y, x] }
var kept = nil
fn written_global(x) { kept = x; kept.name = "g"; return [kept, x] }
fn caught(x) { try { throw x } catch (e) { return e.name } }
fn typed(x: Named) { return x.count }
fn shaped(x: dict<string, any>) { return len(x) }
fn handed(x) { let again = { y -> y.count }; return again(x) }
fn guarded(x) { guard x.count > 3 else { return "small" }; return type_of(x) == "dict" ? "dict" : "other" }
fn gather(...xs) { return xs }
fn spread_call(x) { return gather(...[x, x]) }
fn structured(x) { return Holder(x) }
fn attempt(f) { return try { f() } catch (e) { "caught: ${e}" } }
"""


def program() -> str:
    lines = [line for line in EXPRESSIONS.strip().splitlines() if line]
    body = "".join(f"  println(attempt({{ -> {line} }}))\n" for line in lines)
    return f"{PRELUDE}pipeline default(d, p) {{\n{body}}}\n"


def output_of(given_value: object, *, plain_code: bool) -> list[str]:
    """Run the program on a value and return what it prints."""

    def compiled(source: Source) -> Program:
        return Program(source, *written_code(source, plain=plain_code))

    out = io.StringIO()
    run = Execution(stdout=out)
    modules = Modules(run, compiled, Natives())
    loaded = compiled(Source(program()))
    on_large_stack(lambda: run.enter(lambda: modules.start(loaded, {"d": given_value, "p": dict(PLAIN)})))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("plain_code", [False, True])
def test_a_script_cannot_tell_it_from_a_dict(plain_code):
    expected = output_of(dict(PLAIN), plain_code=plain_code)
    assert len(expected) >= len(EXPRESSIONS.split("\n")) - 2
    assert output_of(LazyDict(None, lambda: dict(PLAIN)), plain_code=plain_code) == expected


def test_what_it_stands_for_is_made_once_and_only_when_looked_at():
    made = []

    def make():
        made.append(1)
        return {"a": 1}

    origin = object()
    lazy = LazyDict(origin, make)
    assert lazy.origin is origin
    assert isinstance(lazy, dict)
    assert lazy.__class__ is dict
    assert type(lazy) is LazyDict
    assert type_name(lazy) == "dict"
    assert not is_callable(lazy)
    assert made == []
    assert lazy["a"] == 1
    assert len(lazy) == 1
    assert lazy.plain() is lazy.plain()
    assert type(lazy.plain()) is dict
    assert made == [1]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
DICTS = st.dictionaries(st.text("abc", max_size=2), VALUES, max_size=4)


def lazy_of(value: object) -> object:
    """Return the value with every dict in it lazy."""
    if isinstance(value, list):
        return [lazy_of(item) for item in value]
    if isinstance(value, dict):
        return LazyDict(None, lambda: {key: lazy_of(item) for key, item in value.items()})
    return value


@settings(max_examples=count(150, 50), deadline=None, derandomize=True)
@given(DICTS, DICTS)
def test_it_reads_as_the_dict_at_any_depth(left, right):
    lazy, other = lazy_of(left), lazy_of(right)
    assert equal(lazy, left)
    assert equal(left, lazy)
    assert equal(lazy, other) == equal(left, right) == equal(lazy, right) == equal(left, other)
    assert (lazy == right, right == lazy, lazy != right) == (left == right, left == right, left != right)
    for read in (display, structural_key, key_text, equality_key, json_text, to_python, list, sorted, len, bool, repr):
        assert read(lazy) == read(left), read
    assert {**lazy} == {**left}
    assert (lazy | right, right | lazy) == (left | right, right | left)
    assert list(reversed(lazy)) == list(reversed(left))
    assert to_harn(lazy) == left
    assert type(to_harn(lazy)) is dict


@settings(max_examples=count(60, 20), deadline=None, derandomize=True)
@given(DICTS, st.text("abc", max_size=2), VALUES)
def test_writing_gives_a_plain_dict_and_leaves_it_alone(value, key, new):
    lazy = LazyDict(None, lambda: dict(value))
    for write in (property_access.set_property, property_access.set_index):
        written = write(lazy, key, new)
        assert type(written) is dict
        assert equal(written, {**value, key: new})
    assert equal(lazy, value)
    assert type(lazy.copy()) is dict


def test_copies_are_plain_and_c_code_refuses_it():
    lazy = LazyDict(None, lambda: {"a": [1]})
    for copied in (copy.copy(lazy), copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy)), dict(lazy)):
        assert type(copied) is dict
        assert copied == {"a": [1]}
    with pytest.raises(TypeError):
        json.dumps(lazy)
    with pytest.raises(TypeError):
        hash(lazy)
