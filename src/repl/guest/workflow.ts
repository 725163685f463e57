// The world of a workflow's script: agent, parallel, pipeline, phase, log and args. It has no
// source of values that differ between runs. src/repl/workflow/run-script.ts boots it in a VM of
// its own.

/** The host functions. Each throws if the run has reached its limit. */
interface WorkflowHost {
  /** `request` is JSON. The answer arrives by `kernel.answer` with the same number. */
  startAgent(position: number, request: string): void;
  tell(kind: 'phase' | 'log', text: string): void;
}

/** The script's outcome, encoded as JSON. */
type Outcome =
  | { readonly ok: true; readonly value: string | undefined }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly stack: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

// 4 096: far more than the agents of one run. A longer list is a mistake.
const maxItems = 4_096;
const optionNames = ['label', 'phase', 'schema', 'model', 'agentType', 'isolation'];

/** Returns the kernel that the host calls. */
export function bootWorkflow(host: WorkflowHost) {
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const waiting = new Map<number, Waiting>();
  let made = 0;
  let currentPhase: string | undefined;
  let outcome: Outcome | undefined;

  closeClock();

  function agent(prompt, options: Record<string, unknown> = {}): Promise<unknown> {
    if (typeof prompt !== 'string' || prompt.trim() === '') {
      throw new TypeError('agent(prompt, options): prompt must be a text that says what to do.');
    }
    if (typeof options !== 'object' || options === null || isArray(options)) {
      throw new TypeError('agent(prompt, options): options must be an object.');
    }
    const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
    if (unknown !== undefined) {
      throw new TypeError(
        `agent() takes no option "${unknown}". It takes ${optionNames.join(', ')}.`,
      );
    }
    const phaseOf = options.phase ?? currentPhase;
    const request = stringify({
      ...options,
      ...(phaseOf !== undefined && { phase: phaseOf }),
      prompt,
    });
    const position = made;
    host.startAgent(position, request);
    made += 1;
    return new Promise((resolve, reject) => waiting.set(position, { resolve, reject }));
  }

  async function parallel(thunks): Promise<unknown[]> {
    checkList('parallel(thunks)', thunks);
    const wrong = thunks.findIndex((thunk) => typeof thunk !== 'function');
    if (wrong >= 0) {
      throw new TypeError(
        `parallel(thunks): thunks[${wrong}] is no function. Give () => agent(…), not agent(…).`,
      );
    }
    return Promise.all(
      thunks.map((thunk, at) => orNull(`parallel, number ${at + 1}`, async () => thunk())),
    );
  }

  async function pipeline(items, ...stages): Promise<unknown[]> {
    checkList('pipeline(items, ...stages)', items);
    if (stages.length === 0 || stages.some((stage) => typeof stage !== 'function')) {
      throw new TypeError('pipeline(items, ...stages): each stage must be a function.');
    }
    return Promise.all(
      items.map((item, index) =>
        orNull(`pipeline, item ${index + 1}`, async () => {
          let value = item;
          for (const stage of stages) value = await stage(value, item, index);
          return value;
        }),
      ),
    );
  }

  /** Logs a failure and returns null for it, so that other branches continue. */
  async function orNull(what: string, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      host.tell('log', `${what} failed: ${describe(error)}`);
      return null;
    }
  }

  function phase(title): void {
    currentPhase = String(title);
    host.tell('phase', currentPhase);
  }

  const log = (message) =>
    host.tell('log', typeof message === 'string' ? message : stringify(message));

  function end(given: Outcome): void {
    outcome ??= given;
  }

  const fail = (error) => {
    const { name = 'Error', stack = '' } = error instanceof Error ? error : {};
    end({ ok: false, name: String(name), message: describe(error), stack: String(stack) });
  };

  return {
    /** `run` is the script as a function of its globals. `args` is JSON. */
    start(run, args: string | undefined): void {
      const given = args === undefined ? undefined : parse(args);
      Promise.resolve()
        .then(() => run(agent, parallel, pipeline, phase, log, given))
        .then((value) => end({ ok: true, value: stringify(value) }))
        .catch(fail);
    },
    /** `value` is JSON. */
    answer(position: number, value: string): void {
      const call = waiting.get(position);
      waiting.delete(position);
      call?.resolve(parse(value));
    },
    refuse(position: number, message: string): void {
      const call = waiting.get(position);
      waiting.delete(position);
      call?.reject(new Error(message));
    },
    /** Undefined while the script runs. */
    state: (): string | undefined => outcome && stringify(outcome),
    describe,
  };

  function describe(reason): string {
    return reason instanceof Error ? reason.message : String(reason);
  }

  function checkList(what: string, list): void {
    if (!isArray(list)) throw new TypeError(`${what}: the first argument must be a list.`);
    if (list.length <= maxItems) return;
    throw new RangeError(`${what}: the list has ${list.length} items, and may have ${maxItems}.`);
  }
}

/**
 * Removes the current time: a resumed run must make the same requests as the run before it. Fixed
 * dates still work.
 */
function closeClock(): void {
  const refuse = (what: string) => () => {
    throw new Error(
      `${what} isn't there in a workflow: a resumed run must do the same. Give what you need by args.`,
    );
  };
  Math.random = refuse('Math.random()');
  Date.now = refuse('Date.now()');
  const noNow = refuse('The time of now');
  const dated = new Proxy(Date, {
    apply: noNow,
    construct: (target, args, newTarget) =>
      args.length === 0 ? noNow() : Reflect.construct(target, args, newTarget),
  });
  Object.defineProperty(Date.prototype, 'constructor', { value: dated });
  const world = globalThis as unknown as Record<string, unknown>;
  world['Date'] = dated;
  // The garbage collector's behaviour also differs between runs.
  for (const name of ['performance', 'WeakRef', 'FinalizationRegistry']) delete world[name];
}
