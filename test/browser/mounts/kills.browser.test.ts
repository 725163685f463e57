// A volume of lightning-fs whose mount is killed at any moment: VITE_MOUNT_KILLS sets how often.
import LightningFs from '@isomorphic-git/lightning-fs';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../support/random.ts';
import type { KillsTask, Told } from './kills.worker.ts';
import KillsWorker from './kills.worker.ts?worker';

const kills = Number(import.meta.env['VITE_MOUNT_KILLS'] ?? 2);

/** When the worker is ended: so many milliseconds after the step of that number may begin. */
interface Kill {
  readonly step: number;
  readonly delayMs: number;
}

/** Runs the task, to its end or to its kill. */
function run(task: KillsTask, kill?: Kill): Promise<readonly Told[]> {
  const worker = new KillsWorker();
  const told: Told[] = [];
  let steps = 0;
  return new Promise((resolve, reject) => {
    const end = () => {
      worker.terminate();
      resolve(told);
    };
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      told.push(data);
      if (data.type === 'failed') reject(new Error(data.message));
      if (data.type === 'over') end();
      if (data.type !== 'begin') return;
      steps += 1;
      worker.postMessage('go on');
      if (steps === kill?.step) setTimeout(end, kill.delayMs);
    });
    worker.postMessage(task);
  });
}

async function readVolume(name: string): Promise<Record<string, string>> {
  const { promises: fs } = new LightningFs(name);
  const files: Record<string, string> = {};
  for (const file of await fs.readdir('/')) {
    if (!file.startsWith('.')) files[file] = await fs.readFile(`/${file}`, 'utf8');
  }
  return files;
}

describe('a mount of a volume that is killed', () => {
  it(
    'leaves each file of the volume whole, and loses nothing of the workspace',
    async () => {
      for (let seed = 1; seed <= kills; seed += 1) {
        const name = `killed-${crypto.randomUUID()}`;
        const random = createRandom(seed);
        const told = await run(
          { name, seed, steps: 60 },
          { step: 1 + random.below(50), delayMs: random.below(20) },
        );
        /** What each file ever had; of the workspace the last that was acknowledged, and what was begun. */
        const ever = new Map<string, Set<string | undefined>>();
        const last = new Map<string, string | undefined>();
        const begun = new Map<string, string | undefined>();
        let synced = new Map<string, string | undefined>();
        for (const one of told) {
          if (one.type === 'synced') synced = new Map(last);
          if (one.type !== 'begin' && one.type !== 'done') continue;
          const values = ever.get(one.path) ?? new Set([undefined]);
          ever.set(one.path, values.add(one.text));
          if (one.type === 'begin') begun.set(one.path, one.text);
          else {
            last.set(one.path, one.text);
            begun.delete(one.path);
          }
        }
        const volume = await readVolume(name);
        for (const [path, text] of Object.entries(volume)) {
          expect(ever.get(path), `seed ${seed}: ${path}`).toContain(text);
        }
        for (const [path, text] of synced) {
          // What was written back is there until something newer was.
          const isSame = last.get(path) === text && !begun.has(path);
          if (isSame) expect(volume[path], `seed ${seed}: ${path}`).toBe(text);
        }
        const over = (await run({ name, seed: 0, steps: 0 })).at(-1);
        const files: Readonly<Record<string, string>> = over?.type === 'over' ? over.files : {};
        for (const [path, text] of last) {
          const allowed = begun.has(path) ? [text, begun.get(path)] : [text];
          expect(allowed, `seed ${seed}: ${path}`).toContain(files[path]);
        }
        expect(Object.keys(files).filter((path) => path.includes('(from'))).toEqual([]);
        expect(await readVolume(name)).toEqual(files);
      }
    },
    30_000 + kills * 3000,
  );
});
