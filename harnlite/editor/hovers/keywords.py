"""What the words of the language mean, in a line each, and where they may stand."""

from __future__ import annotations

from functools import lru_cache

from harnlite.syntax.tokens import WORD_CLASSES, kinds

AFTER_OPERAND = kinds("as catch else exclusive extends finally from in not to where with")
"""These carry on with what stands before them."""
AFTER_PARALLEL = kinds("each settle")
IN_SELECT = kinds("default timeout")
IN_LOOP = kinds("break continue")
AT_TOP = kinds("import override pipeline pub")
VALUES = WORD_CLASSES["constant"] | kinds("deadline fn if match parallel retry spawn try")
"""With these a value may begin."""
_NEVER = kinds("eval_pack extern")
STATEMENTS = (
    frozenset().union(*WORD_CLASSES.values()) - AFTER_OPERAND - AFTER_PARALLEL - IN_SELECT - IN_LOOP - AT_TOP - _NEVER
)
"""With these a statement may begin."""

_TEXTS = """
as: `parallel … { … } as stream` gives results as they come.
break: Ends the loop around it.
catch: What is done with what a `try` block throws.
const: Binds a name that cannot be assigned again. In a file with a `const`, `let` can be.
continue: Goes on with the next pass of the loop around it.
deadline: `deadline 5s { … }` gives up a block after a time.
default: The part of a `select` that runs when no channel has anything.
defer: Runs a block when the function around it ends, however it ends.
each: `parallel each list { item -> … }` runs a block for every item.
else: What is done where a condition does not hold.
emit: Gives the next value of a `gen fn`.
enum: Declares a type of several variants, each with fields of its own.
eval_pack: A reserved word without meaning here.
exclusive: `1 to 5 exclusive` leaves the end out.
extends: A pipeline that runs on top of another one.
false: The bool that does not hold.
finally: What is done in the end, whether something was thrown or not.
fn: Declares a function, or makes one in the middle of an expression.
for: Runs a block for each item of a list, dict, set, range, iter or channel.
from: Names the file of an import, or the channel of a case in a `select`.
gen: `gen fn` declares a function that gives a stream of values, by `emit`.
guard: `guard condition else { … }` leaves the block unless the condition holds.
if: Chooses between blocks; it is a value too.
impl: Declares the methods of a struct.
import: Brings in names of another file, or all that it gives away.
in: Says whether something is in a container; in `for`, what is walked through.
interface: Declares methods that a type must have to count as one of its kind.
let: Binds a name that is not assigned again.
match: Chooses by the shape of a value; the first arm that fits counts.
mutex: Runs a block while no other task is in one.
nil: No value.
not: `not in` says that something is not in a container.
override: `override step() { … }` is accepted, and runs nothing.
parallel: Runs a block several times at once and gives a list of results.
pipeline: Declares where a program begins: `default`, else `main`, else the first one runs.
pub: Gives a declaration to the files that import this one.
require: Throws unless a condition holds.
retry: `retry 3 { … }` runs a block up to three times, until it does not throw.
return: Ends the function around it, with a value.
select: Waits for the first of several channels that has something.
settle: `parallel settle list { item -> … }` runs all, whether some fail or not.
skill: Declares a skill that agents can load.
spawn: Starts a block as a task beside this one.
struct: Declares a type with fields.
throw: Ends this way with an error, any value, until a `catch`.
timeout: The part of a `select` that runs when nothing comes for some time.
to: `1 to 5` are the ints from 1 to 5, both included.
tool: Declares a function that a model can call.
true: The bool that holds.
try: Runs a block and catches what it throws; alone it gives a Result.
type: Gives a type a name.
var: Binds a name that can be assigned again.
where: Says which interfaces a type parameter must fit.
while: Runs a block as long as a condition holds.
with: The options of a `parallel`: `with { max_concurrent: 2 }`.
yield: Gives the next value of a generator, and waits until the one after is asked for.
"""


@lru_cache(maxsize=1)
def keyword_texts() -> dict[str, str]:
    """Return what each word means."""
    parted = (line.partition(": ") for line in _TEXTS.splitlines() if line)
    return {word: said for word, _, said in parted}
