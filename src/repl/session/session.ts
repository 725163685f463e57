// The sandbox of one session. Variables persist from cell to cell, and a cell takes effect as a
// whole or not at all. There is one VM. A failing cell discards it, and the next cell starts from
// the snapshot after the last successful cell.
import { SdkError } from '../../core/errors.ts';
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';
import { largeStateBytes } from '../../core/tool/handler.ts';
import { readLostState } from '../../core/session/lost-state.ts';
import { loadOnce } from '../../core/async/load-once.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { findProjectOptions } from '../modules/find-project-options.ts';
import { prepareCell, type PreparedCell } from '../syntax/cell.ts';
import { type CellError, CellFailure, toSyntaxCellError } from '../cell/cell-error.ts';
import type { CellRequest, CellResult } from '../cell/cell-request.ts';
import { DownloadTaint } from './download-taint.ts';
import { notingEffects } from '../cell/effects.ts';
import type { Engine, HostFunction, Vm, VmOptions } from '../vm/engine.ts';
import { HostCalls } from '../host/host-calls.ts';
import { resolvePath } from '../../core/path.ts';
import { createCellSources, type CellSources } from '../host/cell-sources.ts';
import { createHostFunctions, type CellWorld } from '../host/host-functions.ts';
import { toCellLimits, type CellLimits } from '../vm/limits.ts';
import { loadWorld, type GuestWorld } from '../host/load-world.ts';
import { CellOutput, cutText, toldLive } from '../cell/output.ts';
import { readKeptNames, readOpenPorts } from './guest-state.ts';
import { RunningCell } from './running-cell.ts';
import { decodeSavedSession, encodeSavedSession } from './saved-state.ts';
import { loadStripTypes, type StripTypes } from '../syntax/typescript.ts';

export interface ReplSessionOptions {
  /** Called when the first cell runs, and again only after it has rejected. */
  loadEngine(): Promise<Engine>;
  /** Milliseconds since the epoch, for deadlines. @defaultValue `Date.now` */
  now?(): number;
  /**
   * The guest's clock: milliseconds since the epoch, with fractions. Two runs of the same cells
   * differ only in this clock, `randomBytes` and `network`. A host that records these three can
   * replay a session exactly.
   *
   * @defaultValue `now`
   */
  guestNow?(): number;
  /** The source of all of the guest's randomness. @defaultValue `crypto.getRandomValues` */
  randomBytes?(length: number): Uint8Array;
  /**
   * The network port of cells, with what each may reach. @defaultValue none: every fetch is denied
   */
  readonly network?: FetchPort;
  /** The initial values of `process.env` in a new session. @defaultValue empty */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Waits for a guest's timer. Resolves early when `signal` is aborted. @defaultValue `setTimeout`
   */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** Called when a large VM was discarded. Its memory is freed when the platform collects it. */
  onSpent?(): void;
}

/** Dispose of the session to free its VM. */
export interface ReplSession extends Disposable {
  /**
   * Runs a cell. Cells that are requested meanwhile are queued. An error of the cell is part of the
   * result. Rejects if the engine can't be loaded or the cell can't be started.
   */
  run(request: CellRequest): Promise<CellResult>;
}

export function createReplSession(options: ReplSessionOptions): ReplSession {
  return new Session(options);
}

/**
 * The environment of a cell. All of it is loaded, because the text of a cell doesn't show which
 * parts it will use.
 */
interface Sandbox {
  readonly engine: Engine;
  readonly world: GuestWorld;
  readonly stripTypes: StripTypes;
}

class Session implements ReplSession {
  readonly #options: ReplSessionOptions;
  readonly #now: () => number;
  readonly #platform: Pick<CellSources, 'now' | 'randomBytes'>;
  /** The clock, randomness and network of the current or next cell. */
  #sources: CellSources;
  readonly #hostFunctions: Readonly<Record<string, HostFunction>>;
  readonly #calls = new HostCalls();
  /**
   * Isn't rolled back with a failing cell: text that the cell printed is still in the conversation.
   */
  readonly #taint = new DownloadTaint();
  /** Caches a success only. After a failure, such as a network error, the next cell tries again. */
  readonly #loadSandbox: () => Promise<Sandbox>;
  #vm: Vm | undefined;
  /**
   * The snapshot after the last successful cell. Undefined if there was no such cell, or if the
   * snapshot is so large that only the receiver of `saveState` keeps it.
   */
  #snapshot: Uint8Array | undefined;
  /** The id of the state after the last successful cell; undefined before the first. */
  #stateId: string | undefined;
  #cellCount = 0;
  #running: RunningCell | undefined;
  readonly #inTurn = createSerialQueue();

  constructor(options: ReplSessionOptions) {
    this.#options = options;
    this.#loadSandbox = loadOnce(async () => {
      const [engine, world, stripTypes] = await Promise.all([
        options.loadEngine(),
        loadWorld(),
        loadStripTypes(),
      ]);
      return { engine, world, stripTypes };
    });
    this.#now = () => options.now?.() ?? Date.now();
    this.#platform = {
      now: () => options.guestNow?.() ?? this.#now(),
      randomBytes: (length) =>
        options.randomBytes?.(length) ?? crypto.getRandomValues(new Uint8Array(length)),
    };
    this.#sources = createCellSources({}, this.#platform);
    const hostFunctions = createHostFunctions(() => this.#world(), {
      calls: this.#calls,
      sources: () => this.#sources,
      env: options.env ?? {},
    });
    this.#hostFunctions = notingEffects(hostFunctions, () => this.#running?.noteEffect());
  }

  run(request: CellRequest): Promise<CellResult> {
    return this.#inTurn(() => this.#runCell(request));
  }

  [Symbol.dispose](): void {
    this.#dropVm();
    this.#snapshot = undefined;
    this.#stateId = undefined;
  }

  async #runCell(request: CellRequest): Promise<CellResult> {
    const loading = this.#loadSandbox();
    // Parsing happens while the engine is compiled on other threads.
    const preparing = prepareCell(request.code, loadStripTypes, () =>
      findProjectOptions(request.fs, resolvePath(request.cwd, 'cell')),
    );
    // The promise is awaited below. If the sandbox can't be loaded, that error is reported instead
    // of this one.
    preparing.catch(() => undefined);
    const sandbox = await loading;
    for (let tries = 1; ; tries += 1) {
      const result = await this.#tryCell(request, sandbox, { preparing, tries });
      if (result) return result;
    }
  }

  /**
   * Returns undefined if the cell needs a file that must be fetched first. The cell was then rolled
   * back and must be run again.
   */
  async #tryCell(
    request: CellRequest,
    sandbox: Sandbox,
    { preparing, tries }: { readonly preparing: Promise<PreparedCell>; readonly tries: number },
  ): Promise<CellResult | undefined> {
    const limits = toCellLimits(request);
    const output = new CellOutput(
      limits.maxOutputChars,
      this.#now,
      (piece) => request.onOutput?.(piece),
      request.isFollowed ? toldLive : undefined,
    );
    await this.#adopt(request, sandbox, output);
    if (!request.isAlone && tries === 1) this.#cellCount += 1;
    const name = request.isAlone ? 'cell' : `cell-${this.#cellCount}`;
    let prepared: PreparedCell;
    try {
      prepared = await preparing;
    } catch (error) {
      // Nothing ran, so nothing is rolled back.
      return finish(output, { error: toSyntaxCellError(error) });
    }
    // The VM's boot reads the clock too, so the sources of the cell are created before it.
    this.#sources = createCellSources(request, this.#platform);
    // The cell's time starts once the VM is ready.
    const vm = await this.#ready(sandbox, limits, request);
    this.#sources = createCellSources(request, this.#platform);
    request.onStart?.();
    const running = new RunningCell(request, limits, {
      calls: this.#calls,
      output,
      taint: this.#taint,
      guest: sandbox.world,
      stripTypes: sandbox.stripTypes,
      now: this.#now,
      ...(this.#options.sleep && { sleep: this.#options.sleep }),
      createBroker: (meter) =>
        sandbox.world.createNetworkBroker(this.#options.network, request.network, meter),
    });
    this.#running = running;
    try {
      const outcome = await running.evaluate(vm, prepared, name);
      const changes = await request.fileChanges();
      if (request.isAlone) this.#dropVm();
      else await this.#keep(vm, sandbox, request);
      return finish(output, {
        ...(outcome.value !== undefined && { value: outcome.value }),
        ...(outcome.display !== undefined && {
          display: cutText(outcome.display, limits.maxOutputChars),
        }),
        ...(outcome.note !== undefined && { returnCodeInterpretation: outcome.note }),
        changes,
        ...(running.gitDeeds.length > 0 && { git: running.gitDeeds }),
      });
    } catch (error) {
      this.#dropVm();
      request.rollback();
      if (!(error instanceof CellFailure)) throw error;
      if (error.kind === 'absent-file') {
        const failure = await bringFile(request);
        if (!failure && !running.hasReachedOut) return undefined;
        return finish(output, { error: failure ?? error.shown, rolledBack: true });
      }
      return finish(output, {
        error: error.shown,
        interrupted: error.kind === 'aborted',
        rolledBack: true,
        ...(error.kind === 'timeout' && { timedOutAfterMs: limits.timeoutMs }),
      });
    } finally {
      running.close();
      this.#running = undefined;
      request.onSteps?.(running.meter.steps);
    }
  }

  /**
   * Restores the saved state of the request, unless it is the state that this session saved last.
   */
  async #adopt(request: CellRequest, sandbox: Sandbox, output: CellOutput): Promise<void> {
    if (!request.savedState) return;
    const saved = decodeSavedSession(request.savedState);
    if (saved && saved.id === this.#stateId) {
      if (!this.#vm) this.#snapshot = saved.snapshot;
      return;
    }
    this.#dropVm();
    this.#snapshot = undefined;
    this.#stateId = undefined;
    const lost = readLostState(request.savedState);
    if (lost !== undefined) {
      output.write('stderr', toLostNote(lost));
      return;
    }
    const { engine, world } = sandbox;
    if (saved?.engine !== (await engine.version()) || saved.world !== world.worldVersion()) {
      output.write('stderr', droppedNote);
      return;
    }
    this.#snapshot = saved.snapshot;
    this.#stateId = saved.id;
    if (saved.newestContent !== undefined) this.#taint.note(saved.newestContent);
    this.#cellCount = Math.max(this.#cellCount, saved.cellCount);
  }

  async #ready({ engine, world }: Sandbox, limits: CellLimits, request: CellRequest): Promise<Vm> {
    if (this.#vm) return this.#vm;
    if (this.#stateId !== undefined && !this.#snapshot) {
      throw new SdkError(
        'worker-lost',
        "The session's variables are too large to be kept here, and were not sent with this call. " +
          "That is the host's fault, not the cell's.",
      );
    }
    const options: VmOptions = {
      memoryBytes: limits.maxMemoryBytes,
      stackBytes: limits.maxStackBytes,
      // `Date` reads this clock directly, not through a host function.
      now: () => {
        this.#running?.noteEffect();
        return this.#sources.now();
      },
      shouldInterrupt: () => {
        this.#running?.meter.step();
        return this.#running?.isCut() ?? false;
      },
      endsAtCall: () => this.#running?.isOver() ?? false,
      hostFunctions: this.#hostFunctions,
    };
    this.#vm = this.#snapshot
      ? await engine.restore(this.#snapshot, options)
      : await engine.create(options, world.bootCode());
    if (isKeptBy(request, this.#snapshot)) this.#snapshot = undefined;
    return this.#vm;
  }

  #world(): CellWorld {
    if (this.#running) return this.#running.world;
    throw new SdkError('internal', 'No cell is running.');
  }

  /** Takes the snapshot after a successful cell. A later failure rolls back to it. */
  async #keep(vm: Vm, { engine, world }: Sandbox, request: CellRequest): Promise<void> {
    const id = crypto.randomUUID();
    const header = {
      id,
      engine: await engine.version(),
      world: world.worldVersion(),
      cellCount: this.#cellCount,
      newestContent: this.#taint.newest,
    };
    // Read before the snapshot: if the VM can't list them, the cell fails.
    const kept = request.namesKept && {
      names: readKeptNames(vm.call('keptNames')),
      ports: readOpenPorts(vm.call('openPorts')),
    };
    const saved = encodeSavedSession(header, (room) => vm.snapshot(room));
    this.#snapshot = isKeptBy(request, saved.snapshot) ? undefined : saved.snapshot;
    this.#stateId = id;
    request.saveState?.(saved.bytes, kept || undefined);
  }

  #dropVm(): void {
    if (!this.#vm) return;
    if (this.#vm.heldBytes > largeStateBytes) this.#options.onSpent?.();
    this.#vm[Symbol.dispose]();
    this.#vm = undefined;
  }
}

/** Fetches the missing file. Returns an error if that fails. */
async function bringFile({ contents }: CellRequest): Promise<CellError | undefined> {
  try {
    await contents.bring();
    return undefined;
  } catch (error) {
    if (!SdkError.isInstance(error)) throw error;
    return { name: error.code === 'EIO' ? 'Error' : 'LimitError', message: error.message };
  }
}

/** True if the state is so large that only the cell's caller keeps it. */
function isKeptBy({ saveState }: CellRequest, snapshot: Uint8Array | undefined): boolean {
  return saveState !== undefined && (snapshot?.length ?? 0) > largeStateBytes;
}

const droppedNote =
  'The variables of this session were saved by another version of the sandbox, which this one ' +
  "can't read: they are gone. Files are not affected.\n";

function toLostNote(reason: string): string {
  return `The variables of this session are gone. ${reason} Files are not affected.\n`;
}

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
