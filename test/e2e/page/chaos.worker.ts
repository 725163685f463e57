// The tool worker of the chaos test. It is the real one, with tools that misbehave, over ports that
// lose messages and hold them back. The ports lose nothing where its URL says that it is over.
import * as z from 'zod';
import { serveTools, workers, type WorkerToolEntry } from 'rockpool/serve-tools';
import { createRandom } from '../../support/random.ts';

const search = new URLSearchParams(location.search);
const random = createRandom(Number(search.get('seed')));
const isCalm = search.get('calm') === 'true';

/** In the order in which they came, however long one is held back: ports never change it. */
const lines = new WeakMap<MessagePort, Promise<void>>();

/** One message on its way: lost, held back with all that follow, or delivered at once. */
function deliver(port: MessagePort, run: () => void): void {
  if (isCalm) {
    run();
    return;
  }
  if (random.chance(0.01)) return;
  const line = lines.get(port);
  const isHeld = random.chance(0.05);
  if (!line && !isHeld) {
    run();
    return;
  }
  const delayMs = isHeld ? random.below(40) : 0;
  const next = (line ?? Promise.resolve())
    .then(() => new Promise<void>((resolve) => setTimeout(resolve, delayMs)))
    .then(run);
  lines.set(port, next);
  void next.finally(() => {
    if (lines.get(port) === next) lines.delete(port);
  });
}

let isGarbageNext = false;
const { postMessage, addEventListener } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (this: MessagePort, ...given: unknown[]) {
  const [message, transfer] = isGarbageNext ? [{ type: 'GET', path: ['constructor'] }] : given;
  isGarbageNext = false;
  // What can't be cloned is the sender's to know, and at once.
  const copy = structuredClone(message, transfer ? { transfer: transfer as Transferable[] } : {});
  deliver(this, () => Reflect.apply(postMessage, this, [copy]));
} as typeof postMessage;
MessagePort.prototype.addEventListener = function (
  this: MessagePort,
  type: string,
  listener: (event: Event) => void,
) {
  const heard = (event: Event) => deliver(this, () => listener(event));
  Reflect.apply(addEventListener, this, [type, heard]);
} as typeof addEventListener;

const inputSchema = z.looseObject({});
const entry = (name: string, handler: () => Promise<unknown>): WorkerToolEntry => ({
  name,
  load: () => Promise.resolve({ inputSchema, handler }),
});
const never = () => new Promise(() => {});

serveTools([
  ...workers,
  entry('Echo', async () => 'echo'),
  entry('Spin', () => {
    for (;;);
  }),
  entry('Never', never),
  entry('Crash', () => {
    setTimeout(() => {
      throw new Error('thrown outside of any call');
    });
    return never();
  }),
  entry('Close', () => {
    close();
    return never();
  }),
  entry('Garbage', async () => {
    isGarbageNext = true;
    return 'never seen';
  }),
  entry('Function', async () => () => {}),
]);
