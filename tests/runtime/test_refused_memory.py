"""A call for which there is no memory is an error of the script, also where CPython does not raise MemoryError."""

import pytest

from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.catching import caught, script_error

REFUSED = [MemoryError(), SystemError("error return without exception set")]
TEXT = "Value too large"


@pytest.mark.parametrize("error", REFUSED, ids=lambda error: type(error).__name__)
def test_refused_memory_is_an_error_of_the_script(error):
    assert caught(error) == TEXT
    assert uncaught_text(error) == TEXT


def test_another_fault_of_the_interpreter_is_no_error_of_the_script():
    fault = SystemError("unknown opcode")
    assert script_error(fault) is None
    for convert in (caught, uncaught_text):
        with pytest.raises(SystemError, match="unknown opcode"):
            convert(fault)
