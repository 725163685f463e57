// A session: variables that persist over cells, and cells that leave all of their effects or none.
// One VM a session. Every failing cell gives its VM up; the next one starts from the snapshot that
// was taken after the last cell that succeeded.
import { SdkError } from '../core/errors.ts';
import type { FileChange } from '../core/change-set.ts';
import { loadOnce } from '../core/load-once.ts';
import type { SyncFileSystem } from '../workspace/files/file-system.ts';
import { prepareCell, type PreparedCell } from './cell.ts';
import { CellTools, noTools, type ToolAccess } from './cell-tools.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { notingEffects } from './effects.ts';
import { DraftMeter } from './draft-meter.ts';
import { VmError, type Engine, type HostFunction, type Vm, type VmOptions } from './engine.ts';
import { CellFailure, toCellError, toSyntaxCellError, type CellError } from './cell-error.ts';
import { isSettled, readState, type SettledState } from './guest-state.ts';
import { HostCalls, type HostAnswer } from './host-calls.ts';
import { toHostErrorMessage } from './host-error.ts';
import { createHostFunctions, type CellWorld } from './host-functions.ts';
import { CellMeter, toCellLimits, type CellLimits } from './limits.ts';
import type { FetchPort } from '../core/fetch-port.ts';
import { createNetworkBroker, type NetworkAccess } from './network-broker.ts';
import { CellOutput, cutText, type OutputPiece } from './output.ts';
import { decodeSavedSession, encodeSavedSession } from './saved-state.ts';
import { CodeSyntaxError } from './syntax/parse.ts';
import { loadStripTypes, type StripTypes } from './syntax/typescript.ts';
import { bootCode } from './world/world.ts';
import { mayNeedParts, WorldParts } from './world-parts.ts';
import { worldVersion } from './world-version.ts';

export interface ReplSessionOptions {
  /** Called when the first cell runs, and again only where it rejected. */
  loadEngine(): Promise<Engine>;
  /** Milliseconds since the epoch, for deadlines. @defaultValue `Date.now` */
  now?(): number;
  /**
   * The guest's clock: milliseconds since the epoch, parts of one too. With `randomBytes` and
   * `network` it is all that differs from one run of the same cells to the next, so a host that
   * records what they give can run a session again, value for value.
   *
   * @defaultValue `now`
   */
  guestNow?(): number;
  /** All of the guest's randomness. @defaultValue `crypto.getRandomValues` */
  randomBytes?(length: number): Uint8Array;
  /** How cells reach the network, as far as each may. @defaultValue none: every fetch is denied */
  readonly network?: FetchPort;
  /** What `process.env` starts with in a new session. @defaultValue nothing */
  readonly env?: Readonly<Record<string, string>>;
  /** Waits for a guest's timer. Resolves early when aborted. @defaultValue by `setTimeout` */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** One cell and what it may use. Limits that it doesn't name are {@link defaultLimits}. */
export interface CellRequest extends Partial<CellLimits> {
  readonly code: string;
  readonly cwd: string;
  /** The cell's draft. Everything that the guest's `fs` does goes here. */
  readonly fs: SyncFileSystem;
  /** What the draft holds; asked for when the cell has succeeded. */
  fileChanges(): Promise<readonly FileChange[]>;
  /** Bytes of file content that the draft holds; asked for when it may be too much. */
  heldBytes(): number;
  /** Drops what the draft holds; called when the cell fails. */
  rollback(): void;
  /** Which hosts its `fetch` may reach. @defaultValue none */
  readonly network?: NetworkAccess | undefined;
  /** Which tools it may call. The cell's time stands still while one runs. @defaultValue none */
  readonly tools?: ToolAccess;
  readonly signal?: AbortSignal;
  /**
   * It stands alone (see stands-alone.ts), and runs on a copy: what was there before it is there after
   * it, and its name in stack traces has no number.
   */
  readonly isAlone?: boolean;
  /** Its time begins: all is loaded, and its turn has come. Not called for code that doesn't parse. */
  onStart?(): void;
  /** Output while the cell runs, at most about 20 times a second. */
  onOutput?(piece: OutputPiece): void;
  /**
   * Called once, before the cell asks its host for anything that may tell another run from this one
   * (see effects.ts). From then on the same cell must not be run again by itself.
   */
  onEffect?(): void;
  /**
   * The session as it was kept outside this worker. Another one than this session's own wins. Read
   * when the cell's turn comes.
   */
  readonly savedState?: Uint8Array | undefined;
  /** Called after each cell that succeeded, with the session as it is then: not to be written to. */
  saveState?(state: Uint8Array): void;
}

export interface CellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** It was stopped from outside. */
  readonly interrupted: boolean;
  /** The last expression's value as data; left out where it isn't JSON's, or is long. */
  readonly value?: unknown;
  /** The same as text, for whatever it is; left out when it is undefined. */
  readonly display?: string;
  readonly error?: CellError;
  readonly timedOutAfterMs?: number;
  /** What the cell changed, for people to review. Empty when it was rolled back. */
  readonly changes: readonly FileChange[];
  /** The cell failed: variables and files are as before it. */
  readonly rolledBack: boolean;
  /** What the outcome means where neither value nor error says it: failing tests. */
  readonly returnCodeInterpretation?: string;
}

/** Dispose it to let the VM go. */
export interface ReplSession extends Disposable {
  /**
   * Runs a cell; cells that are asked for meanwhile wait their turn. Never rejects for what a cell
   * does; rejects when the engine can't be loaded or the cell can't be run at all.
   */
  run(request: CellRequest): Promise<CellResult>;
}

export function createReplSession(options: ReplSessionOptions): ReplSession {
  return new Session(options);
}

// Seen in a cell, they say that modules may be loaded while it runs, and then there is no waiting
// for the type stripper. Needless loading costs a few milliseconds once.
const moduleWords = /\b(?:require|import|runTests|eval|Function)\b/u;

/** What one cell gives to the host functions and the engine while it runs. */
interface RunningCell {
  readonly world: CellWorld;
  readonly deadline: Deadline;
  readonly meter: CellMeter;
  readonly signal: AbortSignal | undefined;
  /** See {@link CellRequest.onEffect}; may be called again and again. */
  noteEffect(): void;
}

class Session implements ReplSession {
  readonly #options: ReplSessionOptions;
  readonly #now: () => number;
  readonly #guestNow: () => number;
  readonly #hostFunctions: Readonly<Record<string, HostFunction>>;
  readonly #calls = new HostCalls();
  readonly #parts = new WorldParts();
  /** An attempt that failed (the network, say) doesn't stand for the next. */
  readonly #loadEngine: () => Promise<Engine>;
  #stripTypes: StripTypes | undefined;
  #vm: Vm | undefined;
  /** After the last cell that succeeded; undefined: as it was booted. */
  #snapshot: Uint8Array | undefined;
  #stateId: string | undefined;
  #cellCount = 0;
  #running: RunningCell | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ReplSessionOptions) {
    this.#options = options;
    this.#loadEngine = loadOnce(() => options.loadEngine());
    this.#now = () => options.now?.() ?? Date.now();
    this.#guestNow = () => options.guestNow?.() ?? this.#now();
    const hostFunctions = createHostFunctions(() => this.#world(), {
      calls: this.#calls,
      now: this.#guestNow,
      randomBytes: (length) =>
        options.randomBytes?.(length) ?? crypto.getRandomValues(new Uint8Array(length)),
      env: options.env ?? {},
    });
    this.#hostFunctions = notingEffects(hostFunctions, () => this.#running?.noteEffect());
  }

  run(request: CellRequest): Promise<CellResult> {
    const result = this.#turn.then(() => this.#runCell(request));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  [Symbol.dispose](): void {
    this.#dropVm();
    this.#snapshot = undefined;
    this.#stateId = undefined;
  }

  async #runCell(request: CellRequest): Promise<CellResult> {
    // At once with the engine. A later cell may call what an earlier one has declared, here or in the
    // session that was saved.
    const needsParts =
      this.#cellCount > 0 || request.savedState !== undefined || mayNeedParts(request.code);
    const parts = needsParts ? this.#parts.load() : undefined;
    const loading = this.#loadEngine();
    // Parsed while the engine is compiled, on other threads.
    const preparing = prepareCell(request.code, () => this.#loadStripTypes());
    // Awaited below; where the engine fails, that is what is told.
    preparing.catch(() => undefined);
    const engine = await loading;
    const limits = toCellLimits(request);
    const output = new CellOutput(limits.maxOutputChars, this.#now, (piece) =>
      request.onOutput?.(piece),
    );
    await this.#adopt(request, engine, output);
    if (!request.isAlone) this.#cellCount += 1;
    const name = request.isAlone ? 'cell' : `cell-${this.#cellCount}`;
    let prepared: PreparedCell;
    try {
      prepared = await preparing;
    } catch (error) {
      if (!(error instanceof CodeSyntaxError)) throw error;
      // Nothing ran, so there is nothing to roll back.
      return finish(output, { error: toSyntaxCellError(error) });
    }
    if (moduleWords.test(request.code)) await this.#loadStripTypes();
    await parts;
    // Starting the VM is not the cell's doing: its time counts from here.
    const vm = await this.#ready(engine, limits);
    const meter = new CellMeter(limits);
    this.#calls.open(meter);
    request.onStart?.();
    const deadline = createDeadline(limits.timeoutMs, this.#now);
    let hasEffect = false;
    this.#running = {
      world: {
        fs: request.fs,
        tools: new CellTools(request.tools ?? noTools, { fs: request.fs, deadline, meter }),
        draft: new DraftMeter(limits.maxMemoryBytes, () => request.heldBytes()),
        cwd: request.cwd,
        stripTypes: this.#stripTypes,
        parts: this.#parts,
        limits,
        network: createNetworkBroker(this.#options.network, request.network, meter),
        write: (stream, text) => output.write(stream, text),
        charge: (steps) => this.#charge(steps),
      },
      deadline,
      meter,
      signal: request.signal,
      noteEffect: () => {
        if (hasEffect) return;
        hasEffect = true;
        request.onEffect?.();
      },
    };
    try {
      const outcome = await this.#evaluate(vm, prepared, request, name, output);
      const changes = await request.fileChanges();
      if (request.isAlone) this.#dropVm();
      else await this.#keep(vm, engine, request);
      return finish(output, {
        ...(outcome.value !== undefined && { value: outcome.value }),
        ...(outcome.display !== undefined && {
          display: cutText(outcome.display, limits.maxOutputChars),
        }),
        ...(outcome.note !== undefined && { returnCodeInterpretation: outcome.note }),
        changes,
      });
    } catch (error) {
      this.#dropVm();
      request.rollback();
      if (!(error instanceof CellFailure)) throw error;
      return finish(output, {
        error: error.shown,
        interrupted: error.kind === 'aborted',
        rolledBack: true,
        ...(error.kind === 'timeout' && { timedOutAfterMs: limits.timeoutMs }),
      });
    } finally {
      this.#calls.close();
      this.#running = undefined;
    }
  }

  /** Takes the state that was kept outside, if it isn't the one that this session left. */
  async #adopt(request: CellRequest, engine: Engine, output: CellOutput): Promise<void> {
    if (!request.savedState) return;
    const saved = decodeSavedSession(request.savedState);
    if (saved && saved.id === this.#stateId) return;
    this.#dropVm();
    this.#snapshot = undefined;
    this.#stateId = undefined;
    // What it holds may ask for any of them.
    await this.#parts.load();
    const worlds = [this.#parts.version, worldVersion([])];
    if (saved?.engine !== (await engine.version()) || !worlds.includes(saved.world)) {
      output.write('stderr', droppedNote);
      return;
    }
    this.#snapshot = saved.snapshot;
    this.#stateId = saved.id;
    this.#cellCount = Math.max(this.#cellCount, saved.cellCount);
  }

  async #ready(engine: Engine, limits: CellLimits): Promise<Vm> {
    if (this.#vm) return this.#vm;
    // A restored session may hold functions that load modules.
    if (this.#snapshot) await this.#loadStripTypes();
    const options: VmOptions = {
      memoryBytes: limits.maxMemoryBytes,
      stackBytes: limits.maxStackBytes,
      now: this.#guestNow,
      shouldInterrupt: () => {
        this.#running?.meter.step();
        return this.#isCut();
      },
      endsAtCall: () => this.#isOver(),
      hostFunctions: this.#hostFunctions,
    };
    this.#vm = this.#snapshot
      ? await engine.restore(this.#snapshot, options)
      : await engine.create(options, bootCode());
    return this.#vm;
  }

  async #loadStripTypes(): Promise<StripTypes> {
    this.#stripTypes ??= await loadStripTypes();
    return this.#stripTypes;
  }

  #world(): CellWorld {
    if (this.#running) return this.#running.world;
    throw new SdkError('internal', 'No cell is running.');
  }

  /** Counts what the host does for the guest as if the guest had computed that long. */
  #charge(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.#running?.meter.step();
      this.#running?.deadline.hasPassed();
    }
  }

  /** As {@link Session.#isCut}, but no question of the engine's, which count where clocks stand still. */
  #isOver(): boolean {
    const cell = this.#running;
    return (
      cell !== undefined &&
      (cell.deadline.remainingMs() <= 0 || cell.meter.isOutOfSteps || cell.signal?.aborted === true)
    );
  }

  #isCut(): boolean {
    const cell = this.#running;
    return (
      cell !== undefined &&
      (cell.deadline.hasPassed() || cell.meter.isOutOfSteps || cell.signal?.aborted === true)
    );
  }

  /** @throws CellFailure */
  async #evaluate(
    vm: Vm,
    prepared: PreparedCell,
    request: CellRequest,
    name: string,
    output: CellOutput,
  ): Promise<{ value: unknown; display: string | undefined; note: string | undefined }> {
    const { names, imports, functionsSource, bodySource } = prepared;
    const importer = `${request.cwd === '/' ? '' : request.cwd}/${name}`;
    const state = await this.#settle(vm, output, request, () =>
      vm.call(
        'startCell',
        { source: functionsSource, filename: name },
        { source: bodySource, filename: name },
        JSON.stringify({ names, imports, importer, filename: name }),
      ),
    );
    if (!state.outcome.ok) {
      // With nothing left to make an error of, the engine throws null.
      const isMemory =
        state.outcome.message === 'out of memory' ||
        (state.outcome.message === 'null' && vm.memoryUse() > 0.9);
      throw isMemory
        ? CellFailure.outOfMemory(toCellLimits(request))
        : new CellFailure('thrown', toCellError(state.outcome, name));
    }
    // What is still under way is left behind by the cell: its promises reject, so that no later cell
    // waits for an answer that can't come.
    this.#calls.close();
    const rejections = this.#guard(request, () => {
      vm.call('endCell');
      vm.runJobs();
      return vm.takeRejections();
    });
    for (const reason of rejections) {
      if (reason !== '') output.write('stderr', `Unhandled rejection: ${reason}\n`);
    }
    if (state.pendingTimers > 0) {
      const [count, goes] =
        state.pendingTimers === 1
          ? ['1 timer is', 'it goes']
          : [`${state.pendingTimers} timers are`, 'they go'];
      output.write('stderr', `(${count} still pending; ${goes} on while a later cell awaits.)\n`);
    }
    const failures = state.testFailures;
    const notes = [
      ...(failures > 0 ? [`${failures} ${failures === 1 ? 'test' : 'tests'} failed`] : []),
      ...(state.exitCode === 0 ? [] : [`process.exitCode is ${state.exitCode}`]),
    ];
    return {
      value: state.outcome.value,
      display: state.outcome.display,
      note: notes.length > 0 ? notes.join('; ') : undefined,
    };
  }

  /** Runs promise jobs, timers and the host's answers until the cell has an outcome. */
  async #settle(
    vm: Vm,
    output: CellOutput,
    request: CellRequest,
    start: () => void,
  ): Promise<SettledState> {
    let step = start;
    for (;;) {
      const state = this.#guard(request, () => {
        step();
        vm.runJobs();
        return readState(vm.call('state'));
      });
      output.flush();
      if (isSettled(state)) return state;
      if (state.nextTimer < 0 && !this.#calls.isWaiting) {
        throw new CellFailure('thrown', stuckError);
      }
      await this.#wait(state.nextTimer < 0 ? Infinity : state.nextTimer, request.signal);
      const answer = this.#calls.take();
      step = answer ? () => deliver(vm, answer) : () => vm.call('runTimer');
    }
  }

  /** Until a timer is due, the host has an answer, the cell's time is up, or someone stops it. */
  async #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const left = this.#running?.deadline.remainingMs() ?? 0;
    const wake = new AbortController();
    const stop = () => wake.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    this.#calls.onAnswer(stop);
    // The port is for the guest's timers; what the host answers comes in the host's own time.
    const wait = milliseconds === Infinity ? sleep : (this.#options.sleep ?? sleep);
    await wait(Math.min(milliseconds, left, maxSleepMs), wake.signal);
    signal?.removeEventListener('abort', stop);
  }

  /**
   * One stretch of guest code. What was cut counts as cut, even if the guest's promises swallowed
   * the engine's interrupt.
   */
  #guard<T>(request: CellRequest, run: () => T): T {
    try {
      const value = run();
      if (!this.#isCut()) return value;
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      if (!this.#isCut()) throw CellFailure.fromVmError(error, toCellLimits(request));
    }
    if (request.signal?.aborted) throw CellFailure.aborted();
    throw this.#running?.meter.isOutOfSteps
      ? CellFailure.outOfSteps(toCellLimits(request))
      : CellFailure.timedOut(toCellLimits(request));
  }

  /** The cell has succeeded: this is what the next failure comes back to. */
  async #keep(vm: Vm, engine: Engine, request: CellRequest): Promise<void> {
    const id = crypto.randomUUID();
    const header = {
      id,
      engine: await engine.version(),
      world: this.#parts.snapshotVersion,
      cellCount: this.#cellCount,
    };
    const saved = encodeSavedSession(header, (room) => vm.snapshot(room));
    this.#snapshot = saved.snapshot;
    this.#stateId = id;
    request.saveState?.(saved.bytes);
  }

  #dropVm(): void {
    this.#vm?.[Symbol.dispose]();
    this.#vm = undefined;
  }
}

// What timers of the platform can wait at most.
const maxSleepMs = 2 ** 31 - 1;

/** Settles the promise that the guest has for this call. */
function deliver(vm: Vm, answer: HostAnswer): void {
  if (answer.ok) vm.call('answerCall', answer.id, ...answer.values);
  else vm.call('refuseCall', answer.id, toHostErrorMessage(answer.error));
}

const droppedNote =
  'The variables of this session were saved by another version of the sandbox, which this one ' +
  "can't read: they are gone. Files are not affected.\n";

const stuckError: CellError = {
  name: 'Error',
  message:
    'The cell awaits a promise that nothing can settle any more: no timer is pending and no code ' +
    'is left to run. Look for a promise whose resolve is never called.',
};

function finish(
  output: CellOutput,
  outcome: Partial<Omit<CellResult, 'stdout' | 'stderr'>>,
): CellResult {
  output.flush();
  return {
    stdout: output.stdout.toString(),
    stderr: output.stderr.toString(),
    interrupted: false,
    changes: [],
    rolledBack: false,
    ...outcome,
  };
}

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
