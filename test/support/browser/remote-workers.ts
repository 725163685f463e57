// Workers that a test drives by comlink. Each is kept with its proxy until it is ended. Comlink
// leaves a worker deaf whose last proxy the garbage collector takes, even while an answer is
// awaited.
import { wrap, type Remote } from 'comlink';
import type { SerializedError } from '../../../src/core/errors.ts';

const remotes = new Map<Worker, unknown>();

/** `url`: of an import with `?worker&url`, which comes as one file. */
export function startRemote<Control>(url: string): { worker: Worker; fs: Remote<Control> } {
  const worker = new Worker(url, { type: 'module' });
  const fs = wrap<Control>(worker);
  remotes.set(worker, fs);
  return { worker, fs };
}

/** Of all that were started, for after each test. */
export function terminateRemotes(): void {
  for (const worker of remotes.keys()) worker.terminate();
  remotes.clear();
}

/** What a call came to, where its worker says so by data: comlink would drop an error's code. */
export function valueOf<Value>(
  answer: { readonly value: Value; readonly error?: never } | { readonly error: SerializedError },
): Value {
  if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.value;
}
