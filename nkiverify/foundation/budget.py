"""Budgets: how much work each question may take, in one place.

They are counted in steps where that can be, so that a verdict does not depend on the machine; seconds and milliseconds
are the last resort, and long enough for a machine that does other things as well. `nkiverify show --explain-budget`
tells what was taken, and what would have been needed.
"""

from __future__ import annotations


class TargetBudget:
    """The time of one target, and how it is divided."""

    #: Seconds a target may take in all its phases together, unless the user says otherwise: with what comes before and
    #: after them, nobody waits longer than a minute.
    SECONDS = 55.0
    #: How many times its processor time a target may take by the wall's clock, on a machine that does other things as
    #: well.
    BUSY_FACTOR = 10
    #: How much of its time a target may take to be run symbolically; the rest is for its phases.
    SHARE_OF_EXPLORING = 0.6
    #: How much of it is kept for concrete runs of shapes that no phase has a verdict for.
    SHARE_OF_TRYING = 0.1
    #: How much of it a concrete launch may take concretely before it is run symbolically.
    SHARE_OF_NUMBERS = 0.5


class ExploringBudget:
    """Running a kernel symbolically."""

    #: How often what an iteration finds grows by what one leaves, before nothing is known of what the body writes.
    GROWTHS = 4
    #: Iterations after which names that change places have their values again, at most: each is a path through the
    #: body.
    PERIOD = 4
    #: Values that are handed from one name to the next, at most: each is a path through the body.
    CHAIN = 4
    #: A kernel with this many calls within one another recurses itself.
    RECURSION = 100
    #: Concrete loops of at most this many iterations are run as they are.
    SHORT_LOOP = 2
    #: Iterations of a loop that is run number by number where kernel code needs the numbers.
    UNROLLED_FOR_VALUES = 64
    #: How often the guess about carried state may be refined.
    PASSES = 10
    #: Calls within one another that going through the tree of a kernel may take. CPython has a thousand for all of a
    #: program, of which each node takes about four here.
    TREE_DEPTH = 6000
    #: How many trees are kept: that of the file that is checked, and those of files that it imports.
    TREES_KEPT = 16
    #: Rounds of a `while` statement after which it is run again as a search, if it may be one.
    ROUNDS_BEFORE_A_SEARCH = 4
    #: How many modules may hand a name on to each other; some do so in a circle.
    NAMES_PASSED_ON = 8
    #: Calls of helpers within helpers that are followed.
    HELPERS = 4
    #: How often paths of a run are split before arms of `if` statements are summarised.
    BRANCHES_BEFORE_MERGING = 64
    #: How many loops of a target may turn out to need unrolling, one exploration each.
    EXPLORATIONS = 200
    #: Contracts that a launch has examined concretely for each step that the attempt may make.
    CONTRACTS_OF_A_STEP = 16


class RunningBudget:
    """Running a kernel on one shape. Work is counted in elements of operands."""

    #: What an operation costs besides the elements of its operands, in elements: about as long as Python takes for it.
    OPERATION = 20_000
    #: Records, and executions, that are remembered at once.
    RECORDS_KEPT = 50_000
    #: Seconds between two looks at the clock.
    SECONDS_BETWEEN_CLOCKS = 0.1
    #: Contracts that a run continues to look at after it has broken the one that it is made for: a fifth of a second's
    #: work.
    CONTRACTS_AFTERWARDS = 10_000
    #: And seconds, which only a run takes that goes round a loop of Python's and calls nothing of ours.
    SECONDS_AFTERWARDS = 0.5
    #: Contracts that are checked between two looks at the clock: less than a millisecond's work, against a system
    #: call.
    CONTRACTS_BETWEEN_CLOCKS = 64
    #: Programs of a launch grid that are all run. Of a larger grid those at its corners are, and some more.
    PROGRAMS = 64
    #: Contracts that a launch has checked, at least, where it is said to repeat itself.
    CONTRACTS_BEFORE_REPEATING = 10_000
    #: The same for each claim. Measured on kernels of 600 to 800 claims: one check for all iterations takes as long as
    #: 40 contracts that a run looks at.
    CONTRACTS_OF_A_CLAIM = 100
    #: Operations and allocations of a concrete run in which dead stores are searched for.
    OPERATIONS_RECORDED = 6_000
    #: The same of one that is not gone on with if it is known without it that there are none.
    OPERATIONS_BEFORE_SUMMARISING = 1_000
    #: Work that one shape may take.
    WORK_OF_A_SHAPE = 400_000_000
    #: Work that a run may take that tells of stores.
    WORK_OF_A_REPORT = 30_000_000
    #: Records that are compared at most.
    RECORDS_COMPARED = 2_000


class ProvingBudget:
    """Deciding one claim."""

    #: Values of a dimension that are tried one by one before the solver searches.
    VALUES_BEFORE_THE_SOLVER = 64
    #: Steps one proof may take. Measured on the corpus: claims it can prove take fewer than 200.
    STEPS = 2000
    #: Steps of a proof before the points of the path are asked about its goal.
    FIRST_STEPS = 100
    #: Steps for each part of a disjunction among the hypotheses that may not be possible: it is asked of each
    #: disjunction again when an equality rewrites it.
    STEPS_OF_A_PART = 200
    #: Steps for whether a tile has an element in all iterations, asked once for each minimum of a path.
    STEPS_OF_A_LEAST_TILE = 40
    #: A proof within a proof, to simplify a disjunction of its hypotheses, has this part of the steps.
    SHARE_WITHIN = 10
    #: Largest number of elements examined; beyond it only the cheap prover is asked.
    GRID = 50_000_000
    #: How many conditions, all in all, may be examined; a fifth of a second's work.
    CONDITIONS = 20_000
    #: How many values each atom may have, where not all values of all atoms together are few enough to be examined.
    VALUES_OF_AN_ATOM = 64
    #: Atoms of a term of which it is asked what the path decides: more of them cost more than the answer is worth.
    ATOMS = 24
    #: Points kept of a path.
    POINTS = 64
    #: Fewer are too few: some are drawn again.
    FEW_POINTS = 16
    #: How often one is drawn again for a path, or for a question.
    DRAWS = 96
    #: Orders in which the dimensions of a point are made larger.
    GROWN_POINTS = 4
    #: Cases into which a question that is asked again may be split.
    CASES = 256
    #: How many times as much is examined then where all values are tried.
    TIMES_WITH_CASES = 10
    #: Values kept for the next hypotheses, by those that share them; trying each costs as much as the hypotheses are
    #: long.
    SAMPLES = 48
    #: How many times its milliseconds a question may take by the wall's clock, so that one whose steps Z3 does not
    #: count comes to an end. Some steps take seven times as long as others, and with thirty others on two cores all
    #: take ten times as long again: at 60, such a question was given up there and nowhere else.
    BUSY_FACTOR = 600
    #: Answers to questions about terms that are kept, of each kind.
    ANSWERS_KEPT = 4096


class SetsBudget:
    """Phase 4 for all shapes, on sets. Operations are those of isl."""

    #: Answers, and parts of sets, that `Sets` keeps at most.
    ANSWERS_KEPT = 100_000
    #: Pieces of a shuffle that are distinguished.
    PIECES = 4
    #: Operations of isl that a proof may take, one or two seconds'; a limit on time would depend on the machine. Of a
    #: long kernel this many for each operation: one on slices of symbolic extent takes some 3,500.
    OPERATIONS = 8_000_000
    OPERATIONS_FOR_EACH = 6_000
    #: How often whether numbers are equal splits the paths through a program that are first walked without it.
    SPLITS = 8
    #: How often the guess about what a loop body does may be corrected.
    PASSES = 4
    #: Values of a factor for each of which a product is examined.
    FACTORS = 4
    #: Parts of a set that are examined.
    PARTS = 8
    #: Positions of an axis whose stride is not a plain number that are distinguished; there is no map of one with more.
    POSITIONS = 4
    #: Operations that one question about inputs or outputs may take.
    OPERATIONS_OF_A_QUESTION = 2_000_000
    #: The largest size of a shape that is searched for.
    LARGEST_SIZE = 2048
    #: Places that read an allocation, and that write it in one line, that are examined for one that writes it.
    READERS = 4
    WRITERS = 32
    #: Operations of isl for what phase 4 claims of one target: enough for most, and soon over.
    OPERATIONS_OF_COVERAGE = 250_000
    SECONDS_OF_COVERAGE = 20.0


class MarksBudget:
    """Phase 4 on one shape, on marks."""

    #: Stores to one element that are reported.
    STORES_LISTED = 6
    #: Elements of one tensor that are examined.
    ELEMENTS_OF_A_TENSOR = 4_000_000
    #: Pieces of the places that a store touches.
    PIECES = 256
    #: Constants of one dimension that are tried, the greatest first.
    CONSTANTS_OF_A_DIMENSION = 3


class SmallestBudget:
    """The search for the smallest shape at which phase 4 fails."""

    #: Walks, concrete runs, and elements of operands in them, that the search may take: it ends the same on all
    #: machines.
    PROOFS = 24
    RUNS = 160
    WORK = 60_000_000
    #: Shapes that it may look at, those outside of the domain included.
    SHAPES = 20_000
    #: How far beyond the smallest a sum is searched for in a family that may have any.
    REACH = 4096


class SearchingBudget:
    """The search for shapes: those that fail, those that are run next to a proof."""

    #: Shapes that are examined for each place of the program, and paths to it that are.
    SHAPES_OF_A_PLACE = 160
    PATHS_TO_A_PLACE = 8
    #: Places that a solver is asked about.
    PLACES_ASKED = 12
    #: Questions for making one dimension small.
    QUESTIONS_TO_NARROW = 6
    #: How often a place that is unrolled is distinguished on one path.
    PLACES_ON_A_PATH = 2
    #: Values of one dimension that are tried first; this many more are tried if they are all there are.
    FIRST_VALUES = 4
    #: Values of one dimension, and choices of some of them, that are examined for others that satisfy the conditions.
    VALUES_OF_A_DIMENSION = 20_000
    #: The same where a few values are wanted for each choice of others, of which there are many.
    VALUES_OF_MANY = 1000
    #: How often the space between two shapes is halved, of which one passes and one does not.
    HALVINGS = 16
    #: Dimensions up to which shapes are run before others: those on which a loop goes round twice, and constants of the
    #: kernel.
    NEAR = 4096
    #: Shapes that are tried, at most; a domain that has no more is run in full.
    SHAPES = 64
    #: As many times as much work as the first ones took is little: those that loops go round twice for come next.
    FEW_SHAPES = 8
    #: Work, in elements of operands, after which the search for a fault tries no further shape.
    WORK = 60_000_000
    #: How many times as much work all shapes of a domain that has few may take.
    TIMES_IN_FULL = 10
    #: Work that the only shape may take.
    WORK_OF_THE_ONLY_SHAPE = 1_000_000_000
    #: Shapes that are run for what the verdict does not depend on.
    SHAPES_OF_WARNINGS = 8
    #: Shapes of which all up to some bounds are run, at most.
    ALL_SHAPES = 512
    #: Loops beyond whose bound shapes are run.
    LOOPS_BEYOND_BOUNDS = 4
    #: Runs of one launch, at most.
    RUNS_AT_ENDS = 8
    #: Shapes that are tried for one that is in the domain.
    LEAST_SHAPES = 4
    #: Contracts that may be examined in all shapes together: about two seconds' work, the same on every machine.
    CONTRACTS = 150_000
    #: Shapes whose arguments are tried at the ends of their ranges.
    SHAPES_AT_ENDS = 4


class WitnessBudget:
    """Witnesses: found, made small, replayed and generalised. Milliseconds are those of an idle core."""

    #: For finding a domain on which what is refuted holds.
    SUFFICIENT_MS = 500
    #: For making the witnesses of one target small.
    MINIMISE_MS = 1000
    #: For finding out what else fails, per violation.
    GENERALISE_MS = 1000
    #: Refuted claims of one line among which the simplest witness is searched for however long it takes; the others
    #: have `FURTHER_MS` together.
    CANDIDATES = 4
    #: For those, and for a witness of a claim that is harder to meet.
    FURTHER_MS = 200
    #: Claims of one line that are replayed.
    REPLAYS_OF_A_LINE = 2
    #: Contracts that all concrete runs on the witnesses of one phase may look at, and further ones once one has
    #: failed.
    CONTRACTS = 400_000
    #: And where a value of the witness is huge: such a run breaks its contract at once or, in a loop, never.
    CONTRACTS_FURTHER = 120_000
    #: From here on a value is.
    HUGE = 10**6
    #: Up to this iteration of each loop a run comes to a claim before it has taken long.
    SOON = 64
    #: Contracts that a run may look at which begins loops at the iteration that fails.
    CONTRACTS_FROM_THERE = 20_000
    #: Contracts for which a run may take a second of this process: fewer than any does that looks at contracts, so
    #: that only one is ended by it that goes round a loop of Python's and calls nothing of ours.
    CONTRACTS_OF_A_SECOND = 20_000
    #: Iterations up to which those are sought that find what an earlier one has left in an index or register: as many
    #: registers may pass it on.
    ITERATIONS_LATER = 5
    #: Conditions that are said together: more are no domain that somebody types.
    CONDITIONS = 4
    #: Claims that are examined.
    CLAIMS = 200
    #: Shapes that are run.
    SHAPES = 4


class WarningBudget:
    """Warnings about what a kernel leaves unread, unwritten or unused."""

    #: Pairs of shapes that are tried.
    PAIRS_OF_SHAPES = 8
    #: Operations and allocations that a concrete run of a larger shape may execute, where one of a small shape may
    #: `RunningBudget.OPERATIONS_RECORDED`; else it is left out.
    OPERATIONS_OF_A_LARGER_SHAPE = 1_000
    #: Elements of operands in a larger shape in which unwritten ones are searched for.
    WORK_OF_A_LARGER_SHAPE = 10_000_000
    #: Shapes of the domain that cannot be examined before others are not tried either.
    SHAPES_LEFT_OUT = 3
    #: Shapes in which unwritten elements are searched for.
    SHAPES = 6
    #: Contracts that one concrete run may look at, and the seconds of a loop of Python's that calls nothing of ours;
    #: it is to end by its number of operations.
    CONTRACTS_OF_A_RUN = 600_000
    SECONDS_OF_A_RUN = 30.0
    #: Places without a use that are asked about one by one, where it does not hold of all together.
    PLACES_ONE_BY_ONE = 4


class MemoryBudget:
    """Phase 3, shape by shape."""

    #: Shapes of a domain that are run through, and the contracts that may be examined in all of them.
    SHAPES = 16
    CONTRACTS = 1_200_000


class RangesBudget:
    """Phase 5 for all shapes, on ranges."""

    #: How often an assumption about all iterations may be weakened.
    PASSES = 7
    #: After this many of these, what grows without a known addend is given up.
    PASSES_OF_GROWTH = 3
    #: Operations that a walk may compute; a limit on time would have the verdict depend on the machine.
    OPERATIONS = 60_000
    #: Numbers that have an id, at most: what is known of each takes 32 bytes.
    NUMBERS_WITH_IDS = 6_000_000
    #: Steps from a number to one that is at least it.
    STEPS_BETWEEN_NUMBERS = 64


class NumericsBudget:
    """Phase 5 shape by shape."""

    #: Elements that one run on ranges may write, or that inputs of one shape may in the search for a fault, apart from
    #: the first few; and all runs of a target.
    WORK_OF_A_SHAPE = 40_000_000
    WORK = 120_000_000
    #: Inputs that are run before a shape is, where no proof for all shapes goes through.
    INPUTS_BEFORE = 3
    #: Inputs that are run whatever they cost, as far as the work of all runs allows.
    INPUTS_FIRST = 4
    #: Runs that look for the largest range that is proved.
    CUTS = 14
    #: The least magnitude that these begin with, as a power of 2.
    LEAST_CUT = -20.0
    #: Inputs of which each argument has a kind by chance.
    MIXED_INPUTS = 10


class NumbersBudget:
    """Kernels computed on numbers: residues, floats."""

    #: This many residues are asked about in steps: for more the table of all powers, of the size of the prime, is
    #: faster.
    RESIDUES_IN_STEPS = 4096
    #: Up to this many numbers are inverted one by one.
    INVERTED_ONE_BY_ONE = 64
    #: Ranges of indices that are examined apart: where there are more, all of a row counts.
    INDEX_RANGES = 64
    #: Constants that are taken out of a maximum one after the other.
    CONSTANTS_OF_A_MAXIMUM = 3


class RepairBudget:
    """The search for edits that mend a kernel. The size of an edit is greater the less likely it is meant."""

    #: How much a step away from what is wrong adds to the size of an edit.
    SIZE_OF_A_STEP_AWAY = 0.75
    #: How much larger than the smallest that passes an edit is that is still tried.
    SIZE_BEYOND_THE_LEAST = 2.0
    #: Shapes for which the kernel fails, and for which it does not, that an edit is tried on.
    SHAPES_THAT_FAIL = 5
    SHAPES_THAT_PASS = 3
    #: Of the former those on which it is compared with a reference.
    SHAPES_COMPARED = 2
    #: Work, in elements of operands, and seconds of one such run.
    WORK_OF_A_RUN = 30_000_000
    SECONDS_OF_A_RUN = 2.0
    #: Seconds in which shapes of the reference are chosen.
    SECONDS_OF_CHOOSING = 2.0
    #: The shares of the time for running edits on shapes, and until no further domain is derived.
    SHARE_OF_RUNS = 0.4
    SHARE_UNTIL_THE_LAST_DOMAIN = 0.9
    #: Edits whose domain is derived, and those that are reported.
    DOMAINS = 4
    PATCHES = 2
    #: Seconds that a domain is given at least.
    LEAST_SECONDS = 1.0
    #: Seconds for edits of a kernel that is checked with `--fix`; with the domain that is derived last, and under load,
    #: it takes this many times as long at most.
    SECONDS_BESIDE_A_CHECK = 15.0
    MOST_TIMES = 4


class DerivingBudget:
    """The domain of a kernel. Steps are contracts that are checked, or as much other work."""

    #: Changes that are made, at most.
    CHANGES = 8
    #: Steps that the run of one shape may take where it is needed, or is a large one, in any case.
    STEPS_OF_A_RUN = 60_000
    STEPS_OF_LARGE_RUNS = 240_000
    #: Conditions of a domain: more are none that somebody reads, but for one for each dimension, as of inputs that
    #: have to be of one size.
    CONDITIONS = 8
    #: Places that are asked about.
    PLACES = 64
    #: Domains that are tried to be proved, at most.
    DOMAINS_TRIED = 24
    #: The share of the usual work that a search for faults takes on each: shapes have been run to find it.
    SHARE_OF_A_SEARCH = 1 / 12
    #: For saying limits in plainer words, in milliseconds of an idle core.
    LIMITS_MS = 1000
    #: Seconds that a step, or a domain, is given in any case.
    LEAST_SECONDS = 0.2
    #: Constants of one dimension that are examined.
    CONSTANTS = 6
    #: Conditions of refuted claims that are examined.
    CLAIMS = 200
    #: Characters of a condition that somebody reads.
    CHARACTERS_OF_A_CONDITION = 60
    #: How much of its time limit a kernel is given: a step may take longer than it should, and who watches the time
    #: stops the process.
    SHARE_OF_A_KERNEL = 0.9
    #: How much of it may pass until no further domain is proved.
    SHARE_OF_DERIVING = 0.75
    #: Times that something else is assumed, at most; other ranks; shapes that dtypes are searched for with.
    ASSUMPTIONS = 3
    RANKS = 4
    SHAPES_OF_DTYPES = 4
    #: Work, in elements of operands, that one shape may take.
    WORK_OF_A_SHAPE = 30_000_000
    #: Elements of operands that take as long as looking at a contract, and contracts that take as long as a run of
    #: nothing.
    ELEMENTS_OF_A_STEP = 2_000
    STEPS_OF_AN_EMPTY_RUN = 200
    #: Shapes that are tried for one that passes.
    SHAPES_FOR_A_FIRST = 24
    #: The first of them, which are made of the sizes that the kernel itself names.
    LIKELY_SHAPES = 6
    #: Steps of all shapes together: a fraction of a second's.
    STEPS_OF_ALL_SHAPES = 60_000
    #: For finding such as are in the domain, in milliseconds of an idle core.
    SETTLING_MS = 150
    #: Similar shapes that are tried for one that passes.
    SIMILAR_SHAPES = 2
    #: Seconds that any has, of the time of the target.
    LEAST_SECONDS_OF_SAMPLES = 1.0
    #: Paths of a kernel's own preconditions that are examined.
    PATHS = 64
    #: Shapes that are run, of those that were left out, for the simplest outside the domain.
    SHAPES_LEFT_OUT = 3
    #: Ways that are verified for themselves, at most.
    WAYS = 8


class ComparingBudget:
    """Comparing kernels and gradients."""

    #: Random inputs on which kernels are compared in floating point where the method is too strict; and the work for
    #: that, in elements of operands.
    INPUTS = 16
    WORK_OF_INPUTS = 200_000_000
    #: How many times other primes are tried where a divisor is zero by chance.
    ATTEMPTS = 4
    #: As many where there may be roots, of which a run with four times as many primes tells apart at least four bits.
    RUNS_WITH_ROOTS = 12
    #: Work, in elements of operands, for the search of few inputs.
    WORK_OF_FEW_INPUTS = 300_000_000
    #: Runs of the backward kernel on parts of the incoming gradients, for each axis.
    BACKWARD_RUNS = 64
    #: This many different numbers are in an argument whose elements are drawn with ties.
    TIED_NUMBERS = 5
    #: Seconds for looking at one kernel.
    SECONDS_OF_A_KERNEL = 10.0
    #: Dimensions that are argued together at most: both kernels are run for all combinations of two values of each.
    DIMENSIONS_TOGETHER = 3
    #: A shape that takes a way may ask for this many times the work of the chosen one.
    MORE_WORK = 256


class CostingBudget:
    """The cost of a kernel."""

    #: Shapes of the domain that are tried for one that breaks a budget.
    SHAPES = 200
    #: Iterations that are gone through at most for a number that has no closed form.
    ITERATIONS = 2_000_000
    #: How hard Z3 tries to decide a claim about costs, in milliseconds.
    MILLISECONDS = 2000
    #: How often a dimension is doubled to see which engine bounds the time.
    DOUBLINGS = 16
    #: Iterations of a loop of known length that are added one by one.
    ADDED_ONE_BY_ONE = 1024
    #: How often a sum is split where a comparison changes.
    SPLITS = 6


class SecondEngineBudget:
    """The second engine. Seconds are of computing."""

    #: Seconds of computing for all claims of one program together; on a busy machine they take longer.
    CANARY_SECONDS = 60.0
    #: The bound of unwinding: loops of the set have up to four iterations.
    CANARY_UNWIND = 5
    #: The bound for the engine's unwinding where the target's flags name none: loops of up to eight iterations are
    #: unwound.
    UNWIND = 9
    #: Seconds of computing for one run of the engine with many claims, and with one: what has not ended by then is
    #: divided, or given up.
    GROUP_SECONDS = 4.0
    CLAIM_SECONDS = 2.0
    #: The same where all claims are one question and may be asked one by one afterwards.
    TOGETHER_SECONDS = 2.5
    #: Seconds more for each claim that is a question of its own, and most of them.
    EACH_SECONDS = 0.1
    MOST_EACH_SECONDS = 10.0
    #: How many assignments are tried to complete the values of a trace for claims that it is not about.
    COMPLETIONS_OF_OTHERS = 4
    #: Most bytes of output that are read from one process; a verdict with its trace takes a few hundred kilobytes.
    OUTPUT_BYTES = 32 * 2**20
    #: Bytes of address space a process may have unless the caller says otherwise.
    MEMORY_BYTES = 2**30
    #: On a busy machine, or where a process cannot be limited to some seconds of computing, it may take this many times
    #: longer: with sixteen others on two cores it takes nine times.
    BUSY_FACTOR = 12.0
    #: Seconds to wait for the rest of the output when the process has ended but something it started holds the pipes.
    DRAIN_SECONDS = 0.5
    #: Seconds between two looks at whether the process still lives.
    POLL_SECONDS = 0.25
    #: Most hints for one claim; each is a product that the solver has to carry along.
    HINTS = 40
    #: Most assignments that are tried for the variables of which a trace does not tell the value.
    COMPLETIONS = 5000
    #: Seconds a build may take to say its version and its options; a cold disk has 70 to 160 megabytes to read.
    QUESTION_SECONDS = 8.0
    #: How many assertions unwinding may add to those of a program. Its loops are kept as loops one after the other,
    #: until there are that many; the others take the representative form.
    INSTANCES = 2000
    #: Shapes that are examined for one that can be run, besides those on which loops go round twice.
    SHAPES = 8
    #: Seconds of computing for one run of the engine.
    ELEMENT_SECONDS = 8.0
    #: Questions of one program, at most: a process has a limit of memory.
    QUESTIONS = 1000
    #: How often the engine is asked again without what it has refuted, where it cannot tell of all at once.
    ROUNDS = 8
    #: Characters of one program that are shown: the largest have a megabyte.
    CHARACTERS_SHOWN = 20_000
    #: Operations of a run that is lowered, at most: beyond, the engine would take its time for little.
    OPERATIONS = 8000
    #: Of this many targets, by a number made of their names, one is lowered to Python as well, where the build reads
    #: that: so that it stays true. Its phases are one process, most of whose time is that of reading the engine's own
    #: models.
    PYTHON_SAMPLE = 20
    #: The targets that are taken, by what the number leaves: of our manifest 19 of 376 runs, of all three phases.
    PYTHON_TAKEN = 6
    #: Seconds the second engine may take next to the embedded engine, for one target in all its phases together; and
    #: that it has at least where it is asked by name.
    SECONDS = 30.0
    LEAST_SECONDS = 1.0


class ReportingBudget:
    """Lists in reports, before a reader is informed that there is more."""

    #: Tensors listed for one place; more would hide the ones that matter.
    TENSORS_OF_A_PLACE = 6
    #: Lines of a slice that are shown; the ones nearest to the result.
    LINES_OF_A_SLICE = 12
    #: This many inputs are listed.
    INPUTS_LISTED = 6
    #: Places that are named where comparisons go one way.
    PLACES_OF_COMPARISONS = 3
    #: How many times the usual budget are tried at most, where it is asked what a claim would have needed.
    TIMES_THE_BUDGET = 8
    #: Names of dtypes and members that are offered.
    NAMES_OFFERED = 3
    #: Bits of an integer that is written out.
    BITS_OF_AN_INTEGER = 10_000
