"""Damaged programs: the parser and `check` answer with findings and never crash."""

import contextlib
import random
import re
from pathlib import Path

import harnlite
from harnlite.diagnostics.errors import LanguageError
from tests.samples import count, sampled

ROOT = Path(__file__).parent.parent.parent
SEED = 20260329
ROUNDS = count(800, 120)
PIECES = [
    *"{}()[]<>,;:.?|&!=+-*/%\"'$\\#`@_\n\t \0\r",
    *(
        "->",
        "=>",
        "?.",
        "?[",
        "??",
        "|>",
        "**",
        "...",
        "${",
        '"""',
        'r"',
        "/*",
        "*/",
        "//",
        "///",
        "+=",
        "\\\n",
        "\u2028",
        "é",
        "名",
    ),
    *(
        "fn",
        "let",
        "var",
        "const ",
        "if",
        "else",
        "match",
        "try",
        "try*",
        "catch",
        "finally",
        "defer",
        "for",
        "in",
        "not in",
    ),
    *(
        "while",
        "return",
        "throw",
        "yield",
        "emit",
        "gen fn",
        "pipeline",
        "extends",
        "override",
        "import",
        "pub",
        "struct",
    ),
    *("impl", "enum", "interface", "type", "tool", "skill", "select", "from", "timeout", "spawn", "parallel", "each"),
    *(
        "settle",
        "with",
        "as stream",
        "deadline",
        "mutex",
        "retry",
        "guard",
        "require",
        "to",
        "exclusive",
        "where",
        "out",
    ),
    *("0x", "1_", "2abc", "1e", "9" * 40, "5m", "5min", ".5", "nil", "true", "_", "A {", "f<T>(", "\u200b", "\ufeff"),
]


def sources() -> list[str]:
    """Return the text of every example and test program."""
    paths = [*ROOT.glob("examples/**/*.harn"), *ROOT.glob("tests/language/**/*.harn"), *ROOT.glob("stdlib/std/*.harn")]
    return [path.read_text(encoding="utf-8") for path in sorted(paths) if path.is_file()]


def damage(text: str, others: list[str], dice: random.Random) -> str:
    """Return the text after a few random edits."""
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(text))
        end = min(len(text), at + dice.choice([1, 1, 2, 5, 20, 200]))
        kind = dice.randint(0, 6)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind in (1, 2):
            text = text[:at] + dice.choice(PIECES) + text[at:]
        elif kind == 3:
            text = text[:at] + text[at:end] * 2 + text[end:]
        elif kind == 4:
            text = text[:at]
        elif kind == 5:
            other = dice.choice(others)
            start = dice.randint(0, len(other))
            text = text[:at] + other[start : start + 40] + text[end:]
        else:
            text = text[:at] + text[at:end][::-1] + text[end:]
    return text


def look_at(engine: harnlite.Engine, text: str) -> None:
    with contextlib.suppress(LanguageError):
        engine.parse(text)
    for finding in engine.check(text):
        assert finding.message
        assert 0 <= finding.span.start <= finding.span.end <= len(text) + 1


@sampled
def test_damaged_programs_get_findings() -> None:
    dice = random.Random(SEED)
    engine = harnlite.Engine(cache=False)
    texts = sources()
    for number in range(ROUNDS):
        text = damage(dice.choice(texts), texts, dice)
        try:
            look_at(engine, text)
        except Exception as error:
            raise AssertionError(f"round {number} of seed {SEED}:\n{text}") from error


@sampled
def test_every_prefix_of_a_program_gets_findings() -> None:
    engine = harnlite.Engine(cache=False)
    text = (ROOT / "examples" / "tour.harn").read_text(encoding="utf-8")
    for end in range(0, len(text), count(7, 29)):
        look_at(engine, text[:end])


def test_noise_gets_findings() -> None:
    dice = random.Random(SEED)
    engine = harnlite.Engine(cache=False)
    for size in (1, 2, 3, 5, 8, 13, 40, 200) * 12:
        look_at(engine, "".join(dice.choice(PIECES) for _ in range(size)))
        look_at(engine, "".join(chr(dice.choice([dice.randint(0, 127), dice.randint(0, 0x2FFF)])) for _ in range(size)))


def test_lone_surrogates_get_findings() -> None:
    engine = harnlite.Engine(cache=False)
    for text in ("\ud800", 'println("\ud800")', "let \udfff = 1", "// \ud800\n1"):
        look_at(engine, text)


def rearrange(text: str, dice: random.Random) -> str:
    """Return the text with a word or a line in another place: most such programs still compile."""
    if dice.random() < 0.5:
        words = re.findall(r"\w+|\s+|[^\w\s]", text)
        places = [at for at, word in enumerate(words) if word.strip()]
        words[dice.choice(places)] = words[dice.choice(places)]
        return "".join(words)
    lines = text.split("\n")
    moved = lines.pop(dice.randrange(len(lines)))
    if dice.random() < 0.7:
        lines.insert(dice.randint(0, len(lines)), moved)
    return "\n".join(lines)


@sampled
def test_rearranged_programs_run_or_say_why() -> None:
    dice = random.Random(SEED)
    engine = harnlite.Engine(cache=False, capabilities=[], max_output=100_000, deadline=0.5)
    texts = [text for text in sources() if text.strip()]
    for _ in range(ROUNDS // 2):
        text = rearrange(dice.choice(texts), dice)
        try:
            result = engine.run(text)
        except Exception as error:
            raise AssertionError(text) from error
        assert result.exit_code in range(256)
        assert result.ok or result.error
