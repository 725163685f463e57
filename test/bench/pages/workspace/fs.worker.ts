// The library's own FS worker, which also tells the page how long opening took. The page can't tell
// that from the time in which the worker itself was loaded. And it collects garbage when asked to.
import { expose } from 'comlink';
import { createFsWorkerControl } from '../../../../src/hosts/browser/fs-worker/fs-worker-control.ts';
import type { FsWorkerControl } from '../../../../src/hosts/browser/wire/protocol.ts';

const control = createFsWorkerControl();
const channel = new BroadcastChannel('fs-worker');
channel.addEventListener('message', ({ data }) => {
  if (data !== 'collect') return;
  // There with --js-flags=--expose-gc.
  (globalThis as { gc?: () => void }).gc?.();
  channel.postMessage('collected');
});

const open: FsWorkerControl['open'] = async (...parameters) => {
  const startedAt = performance.now();
  const outcome = await control.open(...parameters);
  channel.postMessage(performance.now() - startedAt);
  return outcome;
};

expose({ ...control, open });
