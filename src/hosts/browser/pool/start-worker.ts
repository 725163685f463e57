// Starts a module worker, and finds out why it doesn't start. For a blocked, a missing and a broken
// file, browsers report the same empty `error` event.
import { SdkError, messageOf } from '../../../core/errors.ts';

/** Dispose it to terminate the worker. */
export interface StartedWorker extends Disposable {
  readonly worker: Worker;
  /** Resolves to the reason if the worker fails, however late. Never rejects. */
  readonly failure: Promise<SdkError>;
}

/** A worker's name in `assets`. */
export type WorkerAsset = 'fsWorker' | 'toolWorker' | 'mcpWorker' | 'languageWorker';

/** The caller provides `create`, because bundlers must see the literal `new Worker(new URL(…))`. */
export interface StartWorkerOptions {
  /** The name of its URL in `assets`. */
  readonly asset: WorkerAsset;
  readonly create: () => Worker;
}

/**
 * Starts the worker. Only its first answer shows that it works: race that with `failure`.
 *
 * @throws SdkError `unsupported-environment` if the constructor throws (a URL of another origin).
 */
export function startWorker({ asset, create }: StartWorkerOptions): StartedWorker {
  const policy = watchPolicy();
  let worker: Worker;
  try {
    worker = create();
  } catch (error) {
    policy.stop();
    const reason = messageOf(error).replace(/\.$/u, '');
    const advice = reason.includes('TrustedScriptURL')
      ? "The page's policy demands Trusted Types: make a default policy whose createScriptURL returns the URLs of your workers."
      : `Serve its file from the page's own origin and pass its URL as assets.${asset}.`;
    throw new SdkError(
      'unsupported-environment',
      `The ${asset} could not be created: ${reason}. ${advice}`,
      { data: { asset }, cause: error },
    );
  }
  const listening = new AbortController();
  const failure = new Promise<SdkError>((resolve) => {
    const onError = (event: ErrorEvent) => {
      // Keeps the error out of the console, because it becomes the reason of whatever fails with
      // the worker.
      event.preventDefault();
      // 20 ms: the report of a policy violation may come some tasks later than the error.
      setTimeout(() => {
        resolve(explain(asset, event, policy.blocked()));
      }, 20);
    };
    worker.addEventListener('error', onError, { signal: listening.signal });
  });
  return {
    worker,
    failure,
    [Symbol.dispose]() {
      policy.stop();
      worker.terminate();
      // comlink keeps a worker until its proxy is collected. The listener would keep the proxy, by
      // those who wait for the failure: neither would ever be freed.
      listening.abort();
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
  // An error in the worker's code has a message; a file that didn't load has none.
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

/** Listens for violations of the page's policy while a worker starts. */
function watchPolicy(): {
  blocked(): SecurityPolicyViolationEvent | undefined;
  stop(): void;
} {
  let blocked: SecurityPolicyViolationEvent | undefined;
  const listen = (event: SecurityPolicyViolationEvent) => {
    // The directive is `worker-src` even if the page only has a script-src or default-src.
    if (event.effectiveDirective === 'worker-src') blocked = event;
  };
  document.addEventListener('securitypolicyviolation', listen);
  return {
    blocked: () => blocked,
    stop: () => document.removeEventListener('securitypolicyviolation', listen),
  };
}
