// A worker for tests. It appends to a file on idb-log until it is terminated, a thousand bytes at a
// time, each time of another value. It tells the length after each acknowledgement.
import { openIdbLog } from '../../../src/workspace/drivers/idb-log.ts';

async function appendForEver(name: string): Promise<never> {
  const medium = await openIdbLog(name);
  const file = await medium.create('a');
  for (let at = 0; ; at += 1) {
    await file.append(new Uint8Array(1000).fill(at), 'process');
    await medium.checkFence();
    globalThis.postMessage(file.length());
  }
}

globalThis.addEventListener(
  'message',
  ({ data }: MessageEvent<string>) => void appendForEver(data),
);
