"""Imported declarations take part in the check."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Check

SHAPES = """
pub struct Point { x: int, y: int }
impl Point { fn shifted(self, dx: int) -> Point { return Point {x: self.x + dx, y: self.y} } }
pub enum Level { Low, High }
pub interface Sized { fn size(self) -> int }
pub type Id = string | int
pub fn area(p: Point, scale: int = 1) -> int { return p.x * p.y * scale }
@deprecated(since: "2", use: "area")
pub fn old_area(p: Point) -> int { return 0 }
fn secret() { return 1 }
"""


def messages(findings: Check, text: str, **files: str) -> list[str]:
    return [found.message for found in findings(text, {f"{name}.harn": body for name, body in files.items()})]


def test_functions_bring_their_types(findings: Check) -> None:
    text = 'import "shapes"\nlet s: string = area(Point {x: 1, y: 2})\narea(5)\narea()\n'
    assert messages(findings, text, shapes=SHAPES) == [
        "'s' declared as string, but assigned int",
        "Argument 1 ('p'): expected Point, got int",
        "Function 'area' expects 1-2 arguments, got 0",
    ]


def test_types_come_with_their_methods(findings: Check) -> None:
    text = (
        'import { Point } from "shapes"\nlet p = Point {x: 1, y: 2}\np.shifted("a").shfted(1)\nPoint {x: "a", y: 1}\n'
    )
    assert messages(findings, text, shapes=SHAPES) == [
        "Argument 1 ('dx'): expected int, got string",
        "Point has no method `shfted` — did you mean `shifted`?",
        "Field 'x' in struct 'Point' expects int, got string",
    ]


def test_enums_and_aliases_are_known(findings: Check) -> None:
    text = 'import "shapes"\nfn f(l: Level, i: Id) { match l { Level.Low -> { 1 } } }\nf(Level.High, true)\n'
    assert messages(findings, text, shapes=SHAPES) == [
        'Non-exhaustive match on enum Level: missing variants "High"',
        "Argument 2 ('i'): expected Id, got bool",
    ]


def test_only_public_names_come_with_the_whole_module(findings: Check) -> None:
    text = 'import "shapes"\nsecret()\n'
    assert messages(findings, text, shapes=SHAPES) == ["call target `secret` is not defined or imported"]
    assert not messages(findings, 'import { secret } from "shapes"\nsecret()\n', shapes=SHAPES)


def test_a_module_without_pub_gives_everything(findings: Check) -> None:
    assert not messages(findings, 'import "m"\nhelp_me()\n', m="fn help_me() { return 1 }")


def test_names_are_exported_again(findings: Check) -> None:
    middle = 'pub import "shapes"\npub fn own() { return 1 }'
    assert messages(findings, 'import "middle"\nown()\narea(1)\n', middle=middle, shapes=SHAPES) == [
        "Argument 1 ('p'): expected Point, got int"
    ]


def test_deprecation_crosses_files(findings: Check) -> None:
    [found] = findings('import "shapes"\nold_area(Point {x: 1, y: 1})\n', {"shapes.harn": SHAPES})
    assert (found.severity, found.message) == ("warning", "`old_area` is deprecated (since 2)")
    assert found.help == ("use `area` instead",)
    assert found.labels[0].source is not None
    assert found.labels[0].source.name == "shapes.harn"


def test_an_impl_may_stand_with_the_importer(findings: Check) -> None:
    own = "impl Point { fn twice(self) { return self.x * 2 } }\nPoint {x: 1, y: 1}.twice()\n"
    text = f'import {{ Point }} from "shapes"\n{own}'
    assert not messages(findings, text, shapes=SHAPES)


def test_a_missing_file_silences_unknown_names(findings: Check) -> None:
    assert not messages(findings, 'import "gone"\nwhatever(1)\nlet x = Thing {a: 1}\n')
    assert messages(findings, 'import "gone"\nlet x: int = "a"\n') == ["'x' declared as int, but assigned string"]
    assert not messages(findings, 'import "m"\nwhatever(1)\n', m='pub import "gone"\npub fn f() { return 1 }')


def test_cycles_are_named(findings: Check) -> None:
    a = 'import "main"\npub fn one() { return 1 }'
    assert messages(findings, 'import "a"\none()\nfn main_fn() { return 1 }\n', a=a) == [
        "import cycle: main.harn -> a.harn -> main.harn"
    ]


def test_own_names_go_before_imported_ones(findings: Check) -> None:
    text = 'import "m"\nfn f(a: int) { return a }\nf("x")\n'
    assert messages(findings, text, m="pub fn f(a: string) { return a }") == [
        "Argument 1 ('a'): expected int, got string"
    ]
