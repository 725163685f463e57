// Runs a workflow's script in a VM of its own. A script is deterministic apart from the results of
// its agents. So a resumed run is given the recorded results of an earlier run, in their recorded
// order. Called by tools/workflow/worker.ts.
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { fingerprint } from '../../core/hashes/fingerprint.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { RecordedAgent } from '../../core/agents/workflows.ts';
import { createDeadline, type Deadline } from '../vm/deadline.ts';
import { VmError, type Engine, type GuestCode, type Vm } from '../vm/engine.ts';
import { defaultCellLimits } from '../vm/limits.ts';

// 32 MB: room for the results of some hundred agents.
const maxMemoryBytes = 32 * 1024 * 1024;
// 200: four times as many agents as a session may start, so that replayed calls have room. An
// endless loop still reaches it soon.
const maxCalls = 200;
// 1 000 lines of phases and logs: as many as a person may look through.
const maxTold = 1_000;
const maxToldChars = 1_000;
// 1 000 000 characters. A longer result belongs in files, which the agents write.
const maxResultChars = 1_000_000;

/** The result of an agent, as the script receives it. */
export type AgentAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string };

/** The host functions that the script can reach. */
export interface ScriptPorts {
  readonly engine: Engine;
  /** See `workflowBootCode` in the guest's world. */
  readonly boot: GuestCode;
  readonly signal: AbortSignal;
  /**
   * How many milliseconds the script may compute. The time doesn't run while the script waits for
   * its agents.
   */
  readonly timeoutMs: number;
  /** The same as `questionsPerMs` of vm/limits.ts. */
  readonly questionsPerMs?: number;
  /** Starts an agent for the script. `request` is the script's parsed argument. Must not reject. */
  ask(
    position: number,
    request: Readonly<Record<string, unknown>>,
    asked: string,
  ): Promise<AgentAnswer>;
  /** Called when the recorded result of an earlier run was used for this call. */
  onReplayed(agent: RecordedAgent, request: Readonly<Record<string, unknown>>): void;
  tell(kind: 'phase' | 'log', text: string): void;
}

/** A call of `agent()` that has no answer yet. */
interface Open {
  readonly position: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
}

/**
 * Runs a script and resolves to its return value as data; undefined becomes null. `source` comes
 * from `readScript`.
 * Rejects with an SdkError: `tool-failed` if the script threw, or if it awaits a promise that
 * nothing can settle; `limit-exceeded`; `out-of-memory`; `aborted`.
 */
export async function runScript(
  source: string,
  args: unknown,
  recorded: readonly RecordedAgent[],
  ports: ScriptPorts,
): Promise<unknown> {
  const run = new ScriptRun(recorded, ports);
  return run.toEnd(source, args === undefined ? undefined : JSON.stringify(args));
}

class ScriptRun {
  readonly #ports: ScriptPorts;
  /** Undefined until the script's time begins. */
  #deadline: Deadline | undefined;
  /** Recorded results of the earlier run that weren't used yet. */
  #recorded: readonly RecordedAgent[];
  /** Calls that are held back while recorded results may still answer them. */
  readonly #open = new Map<number, Open>();
  readonly #answers: { readonly position: number; readonly answer: AgentAnswer }[] = [];
  #running = 0;
  #wake = () => {};
  /** Why the script is cut, if it is. */
  #over: SdkError | undefined;
  #told = 0;

  constructor(recorded: readonly RecordedAgent[], ports: ScriptPorts) {
    this.#recorded = recorded;
    this.#ports = ports;
  }

  async toEnd(source: string, args: string | undefined): Promise<unknown> {
    const { engine, boot, signal, timeoutMs, questionsPerMs } = this.#ports;
    const isCut = () => this.#over !== undefined || signal.aborted || this.#isLate();
    const vm = await engine.create(
      {
        memoryBytes: maxMemoryBytes,
        stackBytes: defaultCellLimits.maxStackBytes,
        // The clock stands still, so that the script can't depend on the time.
        now: () => 0,
        shouldInterrupt: isCut,
        endsAtCall: isCut,
        hostFunctions: {
          startAgent: (position, request) => this.#start(Number(position), String(request)),
          tell: (kind, text) => this.#tell(kind === 'phase' ? 'phase' : 'log', String(text)),
        },
      },
      boot,
    );
    try {
      // Security: text that agents have read from outside must never be compiled as code.
      vm.forbidEval();
      this.#deadline = createDeadline(timeoutMs, () => Date.now(), questionsPerMs);
      let step: () => void = () => void vm.call('start', { source, filename: 'workflow.js' }, args);
      for (;;) {
        const state = this.#guard(() => {
          step();
          vm.runJobs();
          return vm.call('state');
        });
        if (typeof state === 'string') return toResult(state);
        step = await this.#next(vm);
      }
    } finally {
      vm[Symbol.dispose]();
    }
  }

  #isLate(): boolean {
    return this.#deadline?.hasPassed() === true;
  }

  /**
   * Returns the step that delivers the next answer. Recorded results are used as long as the script
   * makes the same calls as in the earlier run.
   */
  async #next(vm: Vm): Promise<() => void> {
    const [next] = this.#recorded;
    if (next) {
      const asked = this.#open.get(next.position);
      if (asked?.fingerprint === next.fingerprint) {
        this.#recorded = this.#recorded.slice(1);
        this.#open.delete(next.position);
        this.#ports.onReplayed(next, asked.request);
        return () => void vm.call('answer', next.position, JSON.stringify(next.result));
      }
      // The script waits, and none of its calls matches the next recorded result. From here on this
      // run differs from the earlier one.
      this.#recorded = [];
    }
    for (const open of this.#open.values()) this.#ask(open);
    this.#open.clear();
    if (this.#answers.length === 0) await this.#wait();
    const { position, answer } = this.#answers.shift() ?? {};
    throwIfAborted(this.#ports.signal);
    if (position === undefined || !answer) return () => undefined;
    return answer.ok
      ? () => void vm.call('answer', position, JSON.stringify(answer.result ?? null))
      : () => void vm.call('refuse', position, answer.message);
  }

  /**
   * Waits until an agent has answered or the run is aborted. The script's deadline is paused
   * meanwhile.
   */
  async #wait(): Promise<void> {
    const { signal } = this.#ports;
    throwIfAborted(signal);
    if (this.#running === 0) {
      throw new SdkError(
        'tool-failed',
        'The script awaits a promise that nothing can settle any more: no agent runs. Look for a promise whose resolve is never called.',
      );
    }
    const resume = this.#deadline?.pause();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    resume?.();
  }

  #start(position: number, text: string): undefined {
    if (position >= maxCalls) {
      this.#over ??= exceeded(`A workflow may call agent() ${maxCalls} times, and this one has.`);
      return;
    }
    // Security: the guest may pass anything. The page validates each field.
    const request: unknown = JSON.parse(text);
    if (!isRecord(request)) throw new SdkError('invalid-input', 'No request for an agent.');
    this.#open.set(position, { position, request, fingerprint: fingerprint(text) });
  }

  #ask({ position, request, fingerprint: asked }: Open): void {
    this.#running += 1;
    void this.#ports.ask(position, request, asked).then((answer) => {
      this.#running -= 1;
      this.#answers.push({ position, answer });
      this.#wake();
    });
  }

  #tell(kind: 'phase' | 'log', text: string): undefined {
    this.#told += 1;
    if (this.#told > maxTold) {
      this.#over ??= exceeded(`A workflow may tell ${maxTold} lines, and this one has.`);
      return;
    }
    this.#ports.tell(kind, text.slice(0, maxToldChars));
  }

  /**
   * Runs one stretch of the script. If the script was cut, that is reported even if the script
   * caught the error.
   */
  #guard<T>(work: () => T): T {
    const { signal, timeoutMs } = this.#ports;
    let failure: unknown;
    try {
      const value = work();
      if (!this.#over && !signal.aborted && !this.#isLate()) return value;
    } catch (error) {
      failure = error;
    }
    throwIfAborted(signal);
    if (this.#over) throw this.#over;
    if (this.#isLate()) {
      throw exceeded(
        `A workflow's script may compute for ${timeoutMs / 1000} s, and this one has. Let its agents do the work.`,
      );
    }
    if (!(failure instanceof VmError)) throw failure;
    if (failure.failure === 'out-of-memory') {
      throw outOfMemory();
    }
    throw new SdkError('tool-failed', `The script failed: ${describeThrown(failure)}`);
  }
}

function outOfMemory(): SdkError {
  return new SdkError('out-of-memory', 'The script took more than its 32 MB of memory.');
}

function exceeded(message: string): SdkError {
  return new SdkError('limit-exceeded', message);
}

/** Reads the outcome that the guest reports. Security: the text is written by the guest. */
function toResult(state: string): unknown {
  const outcome: unknown = JSON.parse(state);
  const { ok, value, name, message, stack } = isRecord(outcome) ? outcome : {};
  if (ok !== true) {
    if (name === 'InternalError' && message === 'out of memory') throw outOfMemory();
    const line = /workflow\.js:(\d+)/u.exec(String(stack))?.[1];
    const where = line === undefined ? '' : ` (line ${line})`;
    throw new SdkError(
      'tool-failed',
      `The script threw ${String(name)}: ${String(message)}${where}`,
    );
  }
  if (typeof value !== 'string') return null;
  if (value.length > maxResultChars) {
    throw exceeded(
      `The script returned ${value.length} characters, and may return ${maxResultChars}. Let an agent write a file instead.`,
    );
  }
  return JSON.parse(value);
}
