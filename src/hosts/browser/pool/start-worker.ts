// Starts a module worker, and finds out why if it doesn't start. A browser reports a blocked, a
// missing and a broken worker file by the same empty `error` event.
import { SdkError, messageOf } from '../../../core/errors.ts';

/** Dispose it to terminate the worker. */
export interface StartedWorker extends Disposable {
  readonly worker: Worker;
  /** Settles with the reason if the worker fails, however late. Never rejects. */
  readonly failure: Promise<SdkError>;
}

/** A worker's name in `assets`. */
export type WorkerAsset = 'fsWorker' | 'toolWorker' | 'mcpWorker' | 'languageWorker';

/** `create` is the caller's, because bundlers must see `new Worker(new URL(…))` written out there. */
export interface StartWorkerOptions {
  /** What its URL is called in `assets`. */
  readonly asset: WorkerAsset;
  readonly create: () => Worker;
}

/**
 * Starts it. That it works shows only when it answers: race that with `failure`.
 *
 * @throws SdkError `unsupported-environment` where the constructor refuses (a URL of another origin).
 */
export function startWorker({ asset, create }: StartWorkerOptions): StartedWorker {
  const policy = watchPolicy();
  let worker: Worker;
  try {
    worker = create();
  } catch (error) {
    policy.stop();
    throw new SdkError(
      'unsupported-environment',
      `The ${asset} could not be created: ${messageOf(error)}. ` +
        `Serve its file from the page's own origin and pass its URL as assets.${asset}.`,
      { data: { asset }, cause: error },
    );
  }
  const failure = new Promise<SdkError>((resolve) => {
    worker.addEventListener('error', (event) => {
      // The console would show it too; here it becomes the reason of what fails with the worker.
      event.preventDefault();
      // 20 ms: the policy's report may come some tasks later than the error that it explains.
      setTimeout(() => {
        resolve(explain(asset, event, policy.blocked()));
      }, 20);
    });
  });
  return {
    worker,
    failure,
    [Symbol.dispose]() {
      policy.stop();
      worker.terminate();
    },
  };
}

function explain(
  asset: string,
  event: ErrorEvent,
  blocked: SecurityPolicyViolationEvent | undefined,
): SdkError {
  if (blocked) {
    return new SdkError(
      'unsupported-environment',
      `The page's Content-Security-Policy blocks the ${asset} (${blocked.blockedURI}). Allow it ` +
        `with worker-src 'self'.`,
      { data: { asset, missing: 'worker-src', directive: blocked.effectiveDirective } },
    );
  }
  // An error that the worker's own code threw has a message; a file that didn't load has none.
  if (event.message) {
    return new SdkError('worker-lost', `The ${asset} failed: ${event.message}`, {
      data: { asset, filename: event.filename, line: event.lineno },
    });
  }
  return new SdkError(
    'unsupported-environment',
    `The ${asset} did not load. Check that its file is served as JavaScript from the page's own ` +
      `origin (pass its URL as assets.${asset}), and that this browser has module workers.`,
    { data: { asset } },
  );
}

/** Listens for what the page's policy blocks while a worker starts. */
function watchPolicy(): {
  blocked(): SecurityPolicyViolationEvent | undefined;
  stop(): void;
} {
  let blocked: SecurityPolicyViolationEvent | undefined;
  const listen = (event: SecurityPolicyViolationEvent) => {
    // `worker-src` also where the page has only a script-src or default-src that stands in for it.
    if (event.effectiveDirective === 'worker-src') blocked = event;
  };
  document.addEventListener('securitypolicyviolation', listen);
  return {
    blocked: () => blocked,
    stop: () => document.removeEventListener('securitypolicyviolation', listen),
  };
}
