"""The keywords: a one-line description of each, and the places where it is allowed."""

from __future__ import annotations

from functools import lru_cache

from harnlite.syntax.tokens import WORD_CLASSES, kinds

AFTER_OPERAND = kinds("as catch else exclusive extends finally from in not to where with")
"""Keywords that continue the text before them."""
AFTER_PARALLEL = kinds("each settle")
IN_SELECT = kinds("default timeout")
IN_LOOP = kinds("break continue")
AT_TOP = kinds("import override pipeline pub")
VALUES = WORD_CLASSES["constant"] | kinds("deadline fn if match parallel retry spawn try")
"""Keywords that can start an expression."""
_NEVER = kinds("eval_pack extern")
STATEMENTS = (
    frozenset().union(*WORD_CLASSES.values()) - AFTER_OPERAND - AFTER_PARALLEL - IN_SELECT - IN_LOOP - AT_TOP - _NEVER
)
"""Keywords that can start a statement."""

_TEXTS = """
as: `parallel … { … } as stream` delivers results as they arrive.
break: Ends the enclosing loop.
catch: Handles an error thrown in a `try` block.
const: Binds a name that cannot be assigned again. In a file that uses `const`, a `let` can be assigned again.
continue: Starts the next iteration of the enclosing loop.
deadline: `deadline 5s { … }` aborts a block after a time.
default: The branch of a `select` that runs when no channel has a value.
defer: Runs a block when the enclosing function ends, however it ends.
each: `parallel each list { item -> … }` runs a block for every item.
else: Runs when the condition is false.
emit: Emits the next value of a `gen fn`.
enum: Declares a type with several variants, each with its own fields.
eval_pack: A reserved word without a meaning.
exclusive: `1 to 5 exclusive` excludes the end.
extends: Names the pipeline that a pipeline extends.
false: The false bool.
finally: Runs at the end, whether an error was thrown or not.
fn: Declares a function, or creates one within an expression.
for: Runs a block for each item of a list, dict, set, range, iter or channel.
from: Names the file of an import, or the channel of a case in a `select`.
gen: `gen fn` declares a function that returns a stream and produces its values with `emit`.
guard: `guard condition else { … }` exits the enclosing block unless the condition is true.
if: Chooses between blocks; also an expression.
impl: Declares the methods of a struct.
import: Imports names from another file, or everything that it exports.
in: Tests whether a container has a value; in a `for`, precedes the container to iterate over.
interface: Declares the methods that a type must have to satisfy the interface.
let: Binds a name that cannot be assigned again.
match: Chooses by the shape of a value; the first matching arm runs.
mutex: Runs a block while no other task runs one.
nil: No value.
not: `not in` tests whether a container lacks a value.
override: `override step() { … }` is accepted and runs nothing.
parallel: Runs a block several times concurrently and returns a list of the results.
pipeline: Declares an entry point: `default` runs, else `main`, else the first one.
pub: Exports a declaration to the files that import this one.
require: Throws unless a condition is true.
retry: `retry 3 { … }` runs a block until it does not throw, at most three times.
return: Returns from the enclosing function, with a value.
select: Waits for the first of several channels that has a value.
settle: `parallel settle list { item -> … }` runs every item, even if some fail.
skill: Declares a skill that agents can load.
spawn: Starts a block as a concurrent task.
struct: Declares a type with fields.
throw: Throws an error, which can be any value, to the nearest `catch`.
timeout: The branch of a `select` that runs when no value arrives in time.
to: `1 to 5` is the range of ints from 1 to 5, both included.
tool: Declares a function that a model can call.
true: The true bool.
try: Runs a block and catches what it throws; without `catch`, it returns a Result.
type: Names a type.
var: Binds a name that can be assigned again.
where: Lists the interfaces that a type parameter must satisfy.
while: Runs a block as long as a condition is true.
with: The options of a `parallel`: `with { max_concurrent: 2 }`.
yield: Yields the next value of a generator, and waits until another one is requested.
"""


@lru_cache(maxsize=1)
def keyword_texts() -> dict[str, str]:
    """Return the description of each keyword."""
    parted = (line.partition(": ") for line in _TEXTS.splitlines() if line)
    return {word: description for word, _, description in parted}
