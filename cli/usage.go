package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
)

const usage = `fencepost finds synchronization bugs in GPU kernels: CuTe DSL (Python), CUDA C++ and PTX.

usage: fencepost [check] [flags] [path ...]
       fencepost COMMAND [flags] [argument ...]

commands:
  check     check kernels (the default command; without a path, everything below the working directory)
  model     show how a kernel is modelled: what is kept of it, the Promela, the protocol
  coverage  list every kernel with how far its proof got, and totals
  warm      fill the cache that the hook looks into
  mutants   put faults into proved kernels, one at a time, and count which are found
  barriers  check the barriers and shared memory of kernels in PTX, millions of commands, by happens-before
  progress  say what waiting threads need of the scheduler in order to end
  litmus    decide litmus tests under a memory model of PTX
  memory    memory model NAME: print a memory model
  lsp       serve an editor: a language server on standard input and output
  explain   print the page of a rule, of a reason of inconclusive, or of a property
  rules     list the rules
  merge     join the JSON reports of several runs (--shard)
  config    config verify: check .fencepost.yaml; config schema: print its JSON schema
  init      set up a repository: configuration, pre-commit hook, workflow
  completion  print completions for bash, zsh or fish
  man       print the manual page
  version   print the version
  help      print this text; help COMMAND: the flags of a command

examples:
  fencepost kernels/gemm.py                       one file
  fencepost check --diff origin/main              what this branch changed
  fencepost check --output sarif=out.sarif src/   text here, SARIF in a file
  fencepost model kernels/gemm.py:Gemm.kernel --slice
  fencepost coverage kernels/                     which kernels are proved, and what stops the others
  fencepost explain FP101

exit codes:
  0  nothing at or above --fail-on (default: error)
  1  findings at or above --fail-on
  2  wrong usage or configuration
  3  internal error, or a run that did not finish

` + "`fencepost help COMMAND`" + ` or ` + "`fencepost COMMAND --help`" + ` tells the flags of a command.
`

const checkUsage = `usage: fencepost [check] [flags] [path ...]

Checks the kernels of the files and folders given (default: everything below the working directory). A file that is given
and holds functions alone is checked in the kernels that call them: a Python file in those of its package, a CUDA header in
those of the nearest eight files that include it. The path - is standard input.

what to check:
  --stdin-filename NAME the name that standard input is checked under: its extension says the language, its folder where
                        includes and imports are looked for (default: guessed from the text)
  --diff REV            only what touches lines changed against a git revision;
                        "pull-request" takes the base of the pull request from the GitHub environment
  --staged              only what touches lines staged for commit
  --touched             of files given that differ from HEAD, the kernels that use what was touched of them, in whatever file: a
                        comment touches none (what the pre-commit hook does). Of Python, by function, class and constant; of
                        CUDA and PTX, whole files. A file that does not differ is checked whole
  --shard I/N           the I-th of N parts of the files
  --root DIR            the directory that paths are relative to (default: the working directory)
  --config FILE         the configuration file (default: .fencepost.yaml in the root, where there is one)
  --no-config           read no configuration file
  --config-from REV     read the configuration, and the baseline, from a git revision; "pull-request" is the base of the
                        pull request, and is what --diff pull-request does: a change cannot excuse itself

how to check:
  --engine NAME         auto      explore always; SPIN, when installed, on violations and suspects (default)
                        explore   the embedded engine alone
                        spin      SPIN alone
                        both      both on every kernel
                        none      pattern rules alone
  --set NAME=VALUE      fix a constant the kernel is written for, or a parameter of a kernel of PTX (repeatable)
  --launch 'PATTERN=grid:[X,Y],block:[X,Y],cluster:[X]'
                        how the kernels of PTX whose names match are launched, as for barriers (repeatable)
  --limit-states N      states the searches of a kernel may store, all together
  --limit-memory SIZE   memory a search or a proof may use, for example 256MiB
  --limit-time DURATION time that lowering a kernel may take, and that the engines may take for it, for example 10s; it
                        only ever makes a verdict inconclusive
  --deadline DURATION   when the run is to end, for example 5m: the report is of what was checked until then, and says what was left
                        (FP907); an interrupt does the same. The exit code is 3
  --all-rounds          prove for every number of rounds of a loop also where that takes long
  --verify              check every proof again: what the embedded engine says holds has a certificate, which a program
                        that shares no code with it looks through, and instances with more rounds are lowered anew;
                        what does not stand is inconclusive and an internal error
  --jobs N              files checked side by side (default: one a core, at most 8)
  --no-cache            show again what was shown to hold before (the user's cache directory remembers it)

  --fix                 write repairs that were tried and hold into the files, and check again; the report is of what stands
                        there then (its notes list the repairs). With --diff lines may have moved: check again without --fix

what makes the exit code 1:
  --fail-on WHAT        error (default), warning, note or never; inconclusive, which is a kernel that nothing decided, alone
                        (with error) or after a comma: warning,inconclusive
  --require-holds PATTERN
                        kernels that have to hold, by name (gemm*) or path and name (src/**:Gemm.kernel); a pattern that means no
                        kernel is wrong usage (repeatable)
  --strict              text that is not read (syntax errors, files that are too large) is an error and not a note
  --baseline FILE       a report that an earlier run wrote with --output json=FILE: what it has is not told again, what is
                        fixed is counted, and a kernel whose verdict is worse than in it is an error
  --select RULES        only these rules, with commas: FP101, literal-wait-phase, FP1 for all FP1xx (repeatable)
  --ignore RULES        all but these rules (repeatable)

what to print:
  --format FORMAT       text, json, sarif, github, markdown, rdjson, junit, gitlab, checkstyle, html or outputs, on standard
                        output (default: text)
  --output FORMAT=PATH  the same into a file, repeatable; a path of - is standard output
  --statistics          in text, count the findings of each rule instead of listing them
  --show-cleared        list suspects that an engine cleared
  --color WHEN          auto, always or never
  -q                    no notes, no progress
  -v                    in text, all bounds of every kernel, and which engines answered, in what time; internal errors with
                        their stack; why there is no cache

examples:
  fencepost check kernels/gemm.py
  fencepost check --staged --fail-on warning
  fencepost check --engine both --limit-time 30s --output json=report.json kernels/
  fencepost check --baseline report.json --fail-on warning,inconclusive --require-holds 'gemm*' kernels/
  fencepost check --stdin-filename kernels/gemm.cu - < kernels/gemm.cu

exit codes: 0 clean, 1 findings, 2 wrong usage or configuration, 3 internal error or unfinished run
`

func modelHelp() string {
	var passes strings.Builder
	for _, p := range ir.Passes() {
		fmt.Fprintf(&passes, "                %-17s %s\n", p.Name(), p.Doc())
	}
	return `usage: fencepost model FILE[:KERNEL] [--slice | --promela | --json | --ir | --pass NAME] [--set NAME=VALUE]

Shows what is checked of a kernel. Without a flag: objects, threads and operations of its model; of PTX, the IR.

  --slice     every statement, kept or dropped, with the reason
  --promela   the Promela that SPIN is given
  --json      the protocol, one object an instance
  --ir        of PTX and CUDA C++: the kernel as instructions, in the text form of the IR
  --pass NAME of the same: what an analysis of these says:
` + passes.String() + `  --set, --root, --config, --no-config as in check

examples:
  fencepost model kernels/gemm.py --slice
  fencepost model kernels/gemm.py:Gemm.kernel --promela
  fencepost model kernels/gemm.ptx --pass loops
`
}

const warmUsage = `usage: fencepost warm [flags] [path ...]

Checks files as the pre-commit hook does (default: everything below the working directory), and prints no report: what was shown is
in the user's cache directory then, and a later check of the same texts, with the same limits, takes it from there.

flags:
  --engine NAME         as in check; the default is explore, the embedded engine alone
  --jobs N, --shard I/N, --set NAME=VALUE, --launch, --limit-states N, --limit-memory SIZE, --limit-time DURATION,
  --deadline DURATION, --all-rounds, --verify, --root, --config, --no-config, -q, -v as in check

examples:
  fencepost warm
  fencepost warm kernels/

exit codes: 0 done, 2 wrong usage or configuration, 3 internal error or unfinished run
`

const coverageUsage = `usage: fencepost coverage [flags] [path ...]

Lists every kernel with its status and the first line that stopped it, and counts them: all, those with pipelines or
mbarriers, by top folder, by reason. A path that ends in .json is a report of "check --output json=FILE", counted as it is.

  proved        the verdict is holds, within the bounds that check prints
  violated      an engine found a counterexample
  inconclusive  modelled whole, and a limit was hit
  opaque        a line could not be modelled

flags:
  --format FORMAT       text (default), json or markdown
  --timing              milliseconds too: of every kernel in text and json, median and largest in the totals
  --engine NAME         as in check; the default is explore, the embedded engine alone
  --jobs N, --shard I/N, --set NAME=VALUE, --launch, --limit-states N, --limit-memory SIZE, --limit-time DURATION,
  --deadline DURATION, --all-rounds, --verify, --root, --config, --no-config, --no-cache, -q, -v as in check

examples:
  fencepost coverage kernels/
  fencepost coverage --format markdown --timing kernels/ > coverage.md
  fencepost coverage --format json shard-1.json shard-2.json

exit codes: 0 whatever the statuses are, 2 wrong usage or configuration, 3 internal error or unfinished run
`

const barriersUsage = `usage: fencepost barriers [flags] FILE.ptx|FILE.cu ...

Executes one CTA, or one cluster, of every kernel of files of PTX or CUDA C++ with its data left open, and checks by happens-before that
in all executions the same commands meet at named barriers, cluster barriers and mbarriers: no deadlock, no count that
does not fit, no generation that takes in a command of another, no wait that passes a phase early; and that shared
memory has no races. Control must not depend on data where it matters. docs/order.md has the method.

launch:
  --block X[,Y[,Z]]     threads of a CTA (default: .reqntid, or what the launches in CUDA C++ say, each; else .maxntid of the
                        kernel, else shapes that go together with what it does: what is found under such a guess is a
                        warning, and what holds names the shapes). Launches are looked for in the file and in those that
                        include it; constants that all of them pass, and the grid, are premises, which are named
  --cluster X[,Y[,Z]]   CTAs of a cluster (default: .reqnctapercluster, else 1)
  --grid X[,Y[,Z]]      CTAs of the grid (default: any)
  --launch 'PATTERN=grid:[X,Y],block:[X,Y],cluster:[X]'
                        extents for the kernels whose names match, * for any part of a name, ahead of the flags above; the
                        first pattern that matches counts (repeatable). launch: in .fencepost.yaml says the same, behind all flags
  --cta X,Y,Z           the CTA that is executed (default: any, with nothing known of %ctaid)
  --param NAME=INTEGER  what a parameter of the kernel is, by its name in the PTX, NAME+BYTES for a part (repeatable;
                        default: anything. Where the answer depends on an integer, numbers are tried and named: those with
                        which a comparison that threads meet comes out otherwise)
  --kernel NAME         only kernels with NAME in their names (repeatable)
  --config FILE, --no-config   the configuration file; take none
  --root DIR            the tree that includes and launches are looked for in (default: the working directory if it holds
                        the files); nothing outside of it is read

how to check:
  --warp-synchronous    take the lanes of a warp to run in lockstep, as hardware before sm_70 did
  --limit-memory SIZE, --limit-time DURATION   what is cut short is inconclusive; of a kernel for which shapes or numbers
                        are tried the time is that of all runs (default 2s)

what to print:
  --format FORMAT       text (default): per kernel its dynamic barriers, addresses of shared memory, commands, race tests,
                        threads, memory, time and verdict, and what was found; json: one object a kernel and line
  --findings N          at most N findings of each check (default 4)
  --graph               the barrier dependence graph, for Graphviz, instead

examples:
  fencepost barriers check/barriers/testdata/exchange.ptx
  fencepost barriers --launch '*=grid:[1,1],block:[64]' check/barriers/testdata/phases.ptx
  fencepost barriers --kernel phases_open --param phases_open_param_2=100 --format json check/barriers/testdata/phases.ptx
  fencepost barriers --graph check/barriers/testdata/exchange.ptx | dot -Tsvg > exchange.svg

exit codes: 0 every verdict is holds, 1 one is violated, 2 wrong usage or no kernel, 3 one is inconclusive, or violated under a
guessed launch, or internal error
`

const progressUsage = `usage: fencepost progress [flags] FILE ...

Says under which models of forward progress waiting threads end, and the weakest of them. A FILE has kernels (CUDA C++,
CuTe DSL or PTX: a few CTAs of the grid are run side by side), is a litmus test (.litmus, as fencepost litmus takes them,
read as an interleaving), or has one program a line, in JSON: threads of atomic check-exchange-branch steps,

  {"id":"flag","threads":[[{"loc":0,"check":0,"jump":1,"exch":true,"value":1}],[{"loc":0,"check":0,"jump":0}]]}

where a step compares a cell with check, sets it to value if exch is true, and goes on at jump if it was equal, else at
the next step. All cells are 0 at first. With "expected":{"weak_fair":true}, other verdicts make the exit code 1.

  unfair   no CTA is guaranteed to execute            hsa   the one with the lowest id that has not ended
  obe      those that have made a step                lobe  those with an id no higher than one that has made a step
  hsa_obe  hsa and obe                                fair  all
  cuda     those in the cluster of one that has made a step ("groups"), all of a "cooperative" grid

Under the weak form they execute eventually, under the strong form whatever they can do again and again happens, too. In
JSON, each thread is a CTA of its own. A litmus test has a grid for each GPU, and no clusters. Of a kernel, the answer
holds for the numbers of CTAs and threads printed with it, with the memory that it waits on 0 at first; one with more
than that, mbarriers say, is decided as its lowered protocol, where that has the whole kernel.

flags:
  --model NAME      weak_NAME or strong_NAME: show how the program may run for ever; all: show the table of models
  --format json     one object a line: {"id":…,"verdicts":{"weak_hsa":true,…},"states":…,"within":…,"reason":…}
  --cooperative     the grids are launched cooperatively
  --ctas N          run N CTAs of a kernel, however many the file launches
  --set NAME=VALUE  a constant or parameter of a kernel
  --root, --config, --no-config   as for check

examples:
  fencepost progress --model all kernels/scan.cu
  fencepost progress waits.jsonl
  fencepost progress --model all waits.jsonl
  fencepost progress --model weak_obe handoff.litmus

exit codes: 0 whatever the verdicts are, 1 where a file expects others, 2 wrong usage, 3 internal error or inconclusive
`

const litmusUsage = `usage: fencepost litmus [flags] FILE|FOLDER|- ...
       fencepost litmus generate multi-gpu-barrier [flags]

Decides litmus tests in PTX: small threads of loads, stores, read-modify-writes, fences and barriers, and a question about
the state they end in. The answer is by the axioms of PTX's memory model, which sees fences, scopes and proxies. A folder
stands for the .litmus files below it, - for the standard input. docs/memory.md has the format.
"fencepost litmus generate --help" tells of the second form.

Of a kernel (FILE.cu, .cuh, .py) it says whether conflicting accesses to global memory are ordered under the model: what orders
them is cut out as litmus tests. docs/multi-gpu.md has what is followed: flags, barriers of a CTA, grid.sync().

flags:
  --model NAME      ptx-async (default), which knows clusters, mbarriers and asynchronous copies, ptx-v7.5 or ptx-v6.0;
                    "fencepost memory model NAME" prints it
  --property NAME   spec         what the test asks: exists, ~exists or forall (default)
                    termination  pass: every execution ends under a fair scheduler
                    race         pass: no execution has a data race
  --format json     one object a line:
                    {"file":…,"model":…,"property":…,"verdict":"pass|fail|inconclusive","observable":true,"ms":0.2}
                    where observable says that an execution has what is asked about (of forall: the contrary)
  --dot             the execution found, as a graph for Graphviz
  --bound N         rounds of loops that write or count (default 2); waits need no bound
  --set, --root, --config, --no-config   of a kernel, as for check
  --jobs N          files decided side by side (default: one a core, at most 8)

examples:
  fencepost litmus testdata/litmus/mp-fences.litmus
  fencepost litmus --property race testdata/litmus/ring-stage-no-fence.litmus
  fencepost litmus --model ptx-v6.0 --format json testdata/litmus
  fencepost litmus --property race testdata/litmus/mp-weak.litmus
  fencepost litmus --dot testdata/litmus/mp-weak.litmus | dot -Tsvg > mp.svg
  fencepost litmus testdata/places/published.cu

exit codes: 0 every verdict is pass, 1 one is fail, 2 wrong usage or no litmus test, 3 one is inconclusive, or internal error
`

const memoryUsage = `usage: fencepost memory model NAME

Prints the memory model that "fencepost litmus --model NAME" decides by: ptx-v6.0, ptx-v7.5 or ptx-async. Its clauses name the
sections of the PTX manual that they are from.

example:
  fencepost memory model ptx-async
`

const mutantsUsage = `usage: fencepost mutants [flags] [path ...]

Puts faults into the kernels that are proved, one at a time, checks each faulty kernel, and tells which faults were found:
what the proof of a kernel is worth. The files themselves are not changed.

  killed       a violation or a defect is reported that the right kernel does not have
  survived     nothing is reported, or nothing could be decided
  equivalent   the fault changes nothing: no kernel runs the place, or the model is the same to the letter

flags:
  --operator NAME       only this kind of fault (repeatable): OPERATORS
  --sample N            at most N faults a file, chosen by --seed (default: all)
  --seed N              default 1
  --format FORMAT       text (default), json or markdown
  --all                 list every fault, not only those that survived
  --engine NAME         as in check; the default is explore, the embedded engine alone
  --jobs N, --shard I/N, --set NAME=VALUE, --launch, --limit-states N, --limit-memory SIZE, --limit-time DURATION,
  --deadline DURATION, --all-rounds, --verify,
  --root, --config, --no-config, -q, -v as in check

examples:
  fencepost mutants kernels/gemm.py
  fencepost mutants --sample 20 --format markdown kernels/ > mutants.md
  fencepost mutants --operator drop-wait --operator drop-tail --all kernels/gemm.py

exit codes: 0 whatever the faults' fates, 2 wrong usage or configuration, 3 internal error or unfinished run
`

const mergeUsage = `usage: fencepost merge [--format FORMAT] [--output FORMAT=PATH] [--fail-on WHAT] [--statistics] [-v] [--color WHEN] REPORT.json ...

Joins reports written with --format json, for example those of --shard runs. The flags are those of check.

example:
  fencepost merge --output markdown=summary.md shard-*.json
`

func (a *app) helpCommand(ctx context.Context, args []string) (int, error) {
	switch {
	case len(args) == 0 || args[0] == "help":
		return ExitClean, a.print(usage)
	case len(args) > 1:
		return 0, usagef("help takes one command, got %d arguments; for example: fencepost help check", len(args))
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(a, ctx, []string{"--help"})
		}
	}
	if near := nearest(args[0], commandNames()); near != "" {
		return 0, usagef("no command %q; did you mean %q?", args[0], near)
	}
	return 0, usagef("no command %q; `fencepost help` lists them", args[0])
}
