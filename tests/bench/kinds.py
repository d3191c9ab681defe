"""Ten kinds of program, with several programs of each kind, against hand-written Python."""

from __future__ import annotations

from pathlib import Path

from tests.bench.programs import mean, ratio

FOLDER = Path(__file__).parent / "kinds"
SIZES = {
    "closures": {
        "closures_pipeline": 12_000,
        "closures_counters": 12_000,
        "closures_objects": 12_000,
        "closures_memo": 4000,
    },
    "errors": {"errors_throw": 12_000, "errors_results": 6_000, "errors_parse": 5000, "errors_enums": 4000},
    "fib": {"fib_recursive": 18, "fib_typed": 17, "fib_iterative": 1_500, "fib_match": 17, "fib_pairs": 3000},
    "matrix": {
        "matrix_literal": 30,
        "matrix_float": 40,
        "matrix_places": 30,
        "matrix_elimination": 14,
        "matrix_powers": 12,
    },
    "n-body": {
        "nbody_dicts": 400,
        "nbody_arrays": 500,
        "nbody_structs": 900,
        "nbody_places": 60,
        "nbody_pairs": 200,
        "nbody_lists": 300,
    },
    "records": {"records_sort": 5_000, "records_update": 5_000, "records_groups": 2500, "records_stock": 3000},
    "shapes": {
        "shapes_match": 25_000,
        "shapes_methods": 6_000,
        "shapes_nested": 6_000,
        "shapes_kinds": 4000,
        "shapes_interface": 3000,
    },
    "sieve": {"sieve_flags": 30_000, "sieve_trial": 1_500, "sieve_while": 20000},
    "text": {"text_methods": 8_000, "text_build": 700, "text_lines": 800, "text_runs": 150},
    "words": {"words_count": 900, "words_index": 1_500, "words_groups": 300, "words_tokens": 250},
}


def program_ratios() -> dict[str, float]:
    """Return how many times longer each program takes than its twin."""
    return {name: ratio(name, size, FOLDER) for programs in SIZES.values() for name, size in programs.items()}


def kind_ratios(found: dict[str, float]) -> dict[str, float]:
    """Return the geometric mean of the programs of each kind."""
    return {kind: mean({name: found[name] for name in programs}) for kind, programs in SIZES.items()}
