// Runs one cell, from its start to its outcome. Guest code runs first, then jobs, timers and the
// host's answers in turn, until the cell has settled or was cut.
import { SdkError } from '../../core/errors.ts';
import { resolvePath } from '../../core/path.ts';
import { toCellError, type CellError, CellFailure } from '../cell/cell-error.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import type { PreparedCell } from '../syntax/cell.ts';
import type { CellRequest } from '../cell/cell-request.ts';
import { CellGit } from '../cell/cell-git.ts';
import { CellTools, noTools } from '../cell/cell-tools.ts';
import { createDeadline, type Deadline } from '../vm/deadline.ts';
import { DraftMeter } from './draft-meter.ts';
import { evalRefusal, type DownloadTaint } from './download-taint.ts';
import { VmError, type Vm } from '../vm/engine.ts';
import { isSettled, readState, type SettledState } from './guest-state.ts';
import type { HostAnswer, HostCalls } from '../host/host-calls.ts';
import { toHostErrorMessage } from '../vm/host-error.ts';
import type { CellWorld } from '../host/host-functions.ts';
import { largestVariables, type VariableSize } from './largest-variables.ts';
import { CellMeter, type CellLimits } from '../vm/limits.ts';
import type { GuestWorld } from '../host/load-world.ts';
import type { NetworkBroker } from '../host/network-broker.ts';
import type { CellOutput } from '../cell/output.ts';
import type { StripTypes } from '../syntax/typescript.ts';

/** The parts of the session that a cell uses. */
export interface CellPorts {
  readonly calls: HostCalls;
  readonly output: CellOutput;
  readonly guest: GuestWorld;
  /** The taint of the session. */
  readonly taint: DownloadTaint;
  readonly stripTypes: StripTypes;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Waits for a guest's timer. Resolves early when `signal` is aborted. @defaultValue `setTimeout`
   */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  createBroker(meter: CellMeter): NetworkBroker;
}

export interface CellOutcome {
  readonly value: unknown;
  readonly display: string | undefined;
  /** An explanation for the model if the value alone would be misleading. */
  readonly note: string | undefined;
}

/** A cell that runs. Its time begins when the object is constructed. */
export class RunningCell {
  /** The host functions that the guest may call. */
  readonly world: CellWorld;
  readonly meter: CellMeter;
  readonly #request: CellRequest;
  readonly #limits: CellLimits;
  readonly #ports: CellPorts;
  readonly #deadline: Deadline;
  /** The cell's name in stack traces. Undefined before it runs. */
  #name: string | undefined;
  #hasEffect = false;
  #hasReachedOut = false;

  constructor(request: CellRequest, limits: CellLimits, ports: CellPorts) {
    this.#request = request;
    this.#limits = limits;
    this.#ports = ports;
    this.meter = new CellMeter(limits);
    this.#deadline = createDeadline(limits.timeoutMs, () => ports.now(), limits.questionsPerMs);
    let broker: NetworkBroker | undefined;
    const onDownload = () => this.#noteDownload();
    const onReachOut = () => void (this.#hasReachedOut = true);
    const lent = {
      fs: request.fs,
      deadline: this.#deadline,
      meter: this.meter,
      onDownload,
      onReachOut,
    };
    // Read before the cell runs: a file that the cell moves gets a new version and would no longer
    // be found.
    if (request.downloadedAt !== undefined && ports.taint.newest === undefined) {
      ports.taint.note(request.contents.newest(request.downloadedAt));
    }
    this.world = {
      fs: request.fs,
      tools: new CellTools(request.tools ?? noTools, lent),
      git: new CellGit(request.runGit, {
        ...lent,
        now: () => ports.now(),
        onProgress: (progress) => request.onGitProgress?.(progress),
      }),
      draft: new DraftMeter(limits.maxMemoryBytes, () => request.heldBytes()),
      cwd: request.cwd,
      stripTypes: ports.stripTypes,
      guest: ports.guest,
      limits,
      network: {
        // Creates the broker at the first request.
        fetch: async (asked, signal) => {
          onReachOut();
          broker ??= ports.createBroker(this.meter);
          const response = await broker.fetch(asked, signal);
          // Must be called before the guest gets the answer. The guest never gets the answer if the
          // signal is aborted.
          if (!signal.aborted) onDownload();
          return response;
        },
      },
      checkModule: (path) => ports.taint.checkModule(path, request.contents),
      write: (stream, text) => ports.output.write(stream, text),
      sourceLine: (file, line) => this.#sourceLine(file, line),
      charge: (steps) => this.#charge(steps),
    };
    ports.calls.open(this.meter);
  }

  /** The git commands that have run so far. */
  get gitDeeds(): readonly GitDeed[] {
    return this.world.git.deeds;
  }

  /**
   * True if the cell has called a tool or a server, or git has used the network. A second run would
   * repeat effects outside of the sandbox.
   */
  get hasReachedOut(): boolean {
    return this.#hasReachedOut;
  }

  /** See {@link CellRequest.onEffect}. Idempotent. */
  noteEffect(): void {
    if (this.#hasEffect) return;
    this.#hasEffect = true;
    this.#request.onEffect?.();
  }

  #noteDownload(): void {
    this.#ports.taint.note(this.#request.contents.newest());
    this.#request.onDownload?.();
  }

  /** The engine polls this while guest code runs. */
  isCut(): boolean {
    return (
      this.#deadline.hasPassed() ||
      this.meter.isOutOfSteps ||
      this.#isAborted() ||
      this.#request.contents.isAbsent
    );
  }

  /**
   * Same as {@link isCut}, but doesn't count as a poll. Where clocks stand still, time is measured
   * in polls.
   */
  isOver(): boolean {
    return (
      this.timeLeftMs() <= 0 ||
      this.meter.isOutOfSteps ||
      this.#isAborted() ||
      this.#request.contents.isAbsent
    );
  }

  /** Milliseconds left, at least 0. `Infinity` while the cell's clock is paused. */
  timeLeftMs(): number {
    return this.#deadline.remainingMs();
  }

  /**
   * Runs the cell in `vm`. `name` is the file name in stack traces.
   *
   * @throws CellFailure
   */
  async evaluate(vm: Vm, prepared: PreparedCell, name: string): Promise<CellOutcome> {
    this.#name = name;
    const { names, imports, functionsSource, bodySource } = prepared;
    const { cwd } = this.#request;
    const importer = `${cwd === '/' ? '' : cwd}/${name}`;
    const heldBefore = vm.heldBytes;
    const state = await this.#settle(vm, () => {
      this.#hideGlobals(vm, prepared);
      vm.call(
        'startCell',
        { source: functionsSource, filename: name },
        { source: bodySource, filename: name },
        JSON.stringify({ names, imports, importer, filename: name }),
      );
    });
    if (!state.outcome.ok) {
      // The engine throws null if it has no memory for an error object. The values that filled the
      // memory may have been freed by now.
      const hasFilled =
        vm.heldBytes > heldBefore && vm.heldBytes > 0.9 * this.#limits.maxMemoryBytes;
      const isMemory =
        state.outcome.message === 'out of memory' ||
        (/(?:^|: )null$/u.test(state.outcome.message) && (hasFilled || vm.memoryUse() > 0.9));
      throw isMemory
        ? this.#outOfMemory(vm)
        : new CellFailure('thrown', toCellError(state.outcome, name));
    }
    this.#leaveBehind(vm, state);
    if (this.#isFull(vm)) throw CellFailure.leftFull(this.#limits, this.#findLargest(vm));
    return { value: state.outcome.value, display: state.outcome.display, note: toNote(state) };
  }

  /** Lets a variable that the cell declares hide a global of the same name. */
  #hideGlobals(vm: Vm, { names, imports }: PreparedCell): void {
    const imported = imports.flatMap(([, , locals]) => Object.keys(locals));
    const { lexical, unnamed, unbarred, vars, functions } = names;
    const own = [...lexical, ...unnamed, ...unbarred, ...vars, ...functions];
    const declared = new Set([...own, ...imported]);
    if (declared.size === 0) return;
    const hidden: unknown = JSON.parse(
      String(vm.call('namesToHide', JSON.stringify([...declared]))),
    );
    for (const name of declared) {
      // Security: the guest returns the list, so only names that were asked for are used.
      if (!Array.isArray(hidden) || !hidden.includes(name)) continue;
      const source = `let ${name}; ({ get: () => ${name}, set(value) { ${name} = value } })`;
      vm.call('hide', name, { source, filename: 'rockpool:hide' });
    }
  }

  /**
   * True if too little memory is left to run the next cell. This happens when a cell fills its
   * memory and catches the error. A cell on a copy of the VM doesn't matter, because the copy is
   * dropped.
   */
  #isFull(vm: Vm): boolean {
    const { maxMemoryBytes } = this.#limits;
    const leastBytes = Math.min(leastFreeBytes, maxMemoryBytes / 16);
    // Most cells use little memory and skip the walk over the heap.
    if (this.#request.isAlone || vm.heldBytes < maxMemoryBytes - leastBytes) return false;
    return this.#guard(() => vm.freeBytes(), vm) < leastBytes;
  }

  #outOfMemory(vm: Vm): CellFailure {
    return CellFailure.outOfMemory(this.#limits, this.#findLargest(vm));
  }

  #findLargest(vm: Vm): readonly VariableSize[] {
    return largestVariables(vm, this.#limits.maxMemoryBytes / 64);
  }

  /** Ends the cell and aborts its open requests to the host. */
  close(): void {
    this.#ports.calls.close();
  }

  #isAborted(): boolean {
    return this.#request.signal?.aborted === true;
  }

  #sourceLine(file: string, line: number): string | undefined {
    const { code, cwd, fs } = this.#request;
    let text = code;
    if (file !== this.#name) {
      try {
        text = fs.readFileSync(resolvePath(cwd, file), 'utf8');
      } catch (error) {
        // The file was moved since it was loaded, or the name isn't a file. The error is shown
        // without its source line.
        if (!SdkError.isInstance(error)) throw error;
        return undefined;
      }
    }
    const source = text.split('\n', line)[line - 1]?.trim() ?? '';
    if (source === '') return undefined;
    return source.length > maxShownLine ? `${source.slice(0, maxShownLine)}…` : source;
  }

  /** Counts work that the host does for the guest as computing time of the guest. */
  #charge(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.meter.step();
      this.#deadline.hasPassed();
    }
  }

  /** Runs promise jobs, timers and the host's answers until the cell has an outcome. */
  async #settle(vm: Vm, start: () => void): Promise<SettledState> {
    const { calls, output } = this.#ports;
    let step = start;
    for (;;) {
      const state = this.#guard(() => {
        this.#forbidEval(vm);
        step();
        vm.runJobs();
        const now = readState(vm.call('state'));
        if (!now.takesRejections) return now;
        // Tests hear at once of what nobody handled: the one that runs fails.
        vm.takeRejections();
        vm.runJobs();
        return readState(vm.call('state'));
      }, vm);
      output.flush();
      if (isSettled(state)) return state;
      if (state.nextTimer < 0 && !calls.isWaiting) throw new CellFailure('thrown', stuckError);
      await this.#wait(state.nextTimer < 0 ? Infinity : state.nextTimer);
      const answer = calls.take();
      step = answer ? () => deliver(vm, answer) : () => vm.call('runTimer');
    }
  }

  /** Security: called before any guest code runs that could see text from outside. */
  #forbidEval(vm: Vm): void {
    if (this.#ports.taint.newest === undefined || vm.isEvalForbidden) return;
    vm.forbidEval();
    vm.call('forbidEval', evalRefusal);
  }

  /**
   * Waits until a timer is due, the host has an answer, the cell's time is up, or someone stops it.
   */
  async #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#request;
    const wake = new AbortController();
    const stop = () => wake.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    this.#ports.calls.onAnswer(stop);
    // The port's `sleep` is only for timers of the guest. Answers of the host arrive in real time.
    const wait = milliseconds === Infinity ? sleep : (this.#ports.sleep ?? sleep);
    await wait(Math.min(milliseconds, this.timeLeftMs(), maxSleepMs), wake.signal);
    signal?.removeEventListener('abort', stop);
  }

  /**
   * Runs guest code synchronously. Throws if the cell was cut, even if the guest's promises
   * swallowed the engine's interrupt.
   */
  #guard<T>(run: () => T, vm?: Vm): T {
    try {
      const value = run();
      if (!this.isCut()) return value;
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      if (!this.isCut()) {
        if (vm && error.failure === 'out-of-memory') throw this.#outOfMemory(vm);
        throw CellFailure.fromVmError(error, this.#limits);
      }
    }
    if (this.#isAborted()) throw CellFailure.aborted();
    if (this.#request.contents.isAbsent) throw CellFailure.absentFile();
    throw this.meter.isOutOfSteps
      ? CellFailure.outOfSteps(this.#limits)
      : CellFailure.timedOut(this.#limits);
  }

  /**
   * Rejects the promises of calls that are still open when the cell ends. Otherwise a later cell
   * could wait for an answer that never arrives.
   */
  #leaveBehind(vm: Vm, { pendingTimers }: SettledState): void {
    const { calls, output } = this.#ports;
    calls.close();
    const rejections = this.#guard(() => {
      vm.call('endCell');
      vm.runJobs();
      return vm.takeRejections();
    }, vm);
    for (const reason of rejections) {
      if (reason !== '') output.write('stderr', `Unhandled rejection: ${reason}\n`);
    }
    if (pendingTimers === 0) return;
    const [count, goes] =
      pendingTimers === 1 ? ['1 timer is', 'it goes'] : [`${pendingTimers} timers are`, 'they go'];
    output.write('stderr', `(${count} still pending; ${goes} on while a later cell awaits.)\n`);
  }
}

// 160 characters: longer lines are usually generated code.
const maxShownLine = 160;

// 1 MB: enough for a small cell.
const leastFreeBytes = 1024 * 1024;

function toNote({ testFailures, exitCode }: SettledState): string | undefined {
  const notes = [
    ...(testFailures > 0
      ? [`${testFailures} ${testFailures === 1 ? 'test' : 'tests'} failed`]
      : []),
    ...(exitCode === 0 ? [] : [`process.exitCode is ${exitCode}`]),
  ];
  return notes.length > 0 ? notes.join('; ') : undefined;
}

/** Settles the guest's promise for this call, or reports its progress. */
function deliver(vm: Vm, answer: HostAnswer): void {
  if (answer.ok) vm.call(answer.isNote ? 'noteCall' : 'answerCall', answer.id, ...answer.values);
  else vm.call('refuseCall', answer.id, toHostErrorMessage(answer.error));
}

const stuckError: CellError = {
  name: 'Error',
  message:
    'The cell awaits a promise that nothing can settle any more: no timer is pending and no code ' +
    'is left to run. Look for a promise whose resolve is never called.',
};

// The longest delay of the platform's timers.
const maxSleepMs = 2 ** 31 - 1;

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
