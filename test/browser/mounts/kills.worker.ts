// Works on a mounted volume of lightning-fs until it is killed. It makes, changes, moves and
// removes files by a seed, and tells of each step once it is acknowledged.
// mounts-kills.browser.test.ts starts and ends it.
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { openMedium } from '../../../src/workspace/drivers/open-medium.ts';
import { toHostFs } from '../../../src/workspace/mounts/browser-sources.ts';
import { createMounts } from '../../../src/workspace/mounts/mounts.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { createRandom } from '../../support/random.ts';

export interface KillsTask {
  readonly name: string;
  readonly seed: number;
  /** 0: only what was left is finished. */
  readonly steps: number;
}

/** `undefined`: no such file. A text has its file's name and the step that wrote it. */
export type Told =
  | { readonly type: 'begin' | 'done'; readonly path: string; readonly text: string | undefined }
  | { readonly type: 'synced' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'over'; readonly files: Readonly<Record<string, string>> };

// A part of lightning-fs looks for the global by the name that it has on a page, where mounts are.
Object.assign(globalThis, { window: globalThis });

const top = '/workspace/volume';

async function work({ name, seed, steps }: KillsTask): Promise<void> {
  const workspace = await openWorkspace(await openMedium(name), { name });
  const mounts = createMounts({ workspace, clock: systemClock, cwd: '/workspace', toHostFs });
  const mount = await mounts.mount(top, { lightningFs: name });
  const random = createRandom(seed);
  const tell = (told: Told) => postMessage(told);
  const { fs } = workspace;
  for (let step = 1; step <= steps; step += 1) {
    const file = `f${random.below(6)}`;
    const path = `${top}/${file}`;
    const isThere = (await workspace.lookUp([path]))[0] !== null;
    const isRemoval = isThere && random.below(3) === 0;
    const text = isRemoval ? undefined : `${file}#${step}#${'x'.repeat(random.below(2000))}`;
    tell({ type: 'begin', path: file, text });
    // So no step is made of which nobody knows.
    await new Promise((resolve) => addEventListener('message', resolve, { once: true }));
    if (text === undefined) await fs.rm(path);
    else await fs.writeFile(path, text);
    tell({ type: 'done', path: file, text });
    if (random.below(4) !== 0) continue;
    await mount.sync();
    tell({ type: 'synced' });
  }
  await mount.sync();
  const files: Record<string, string> = {};
  for (const file of await fs.readdir(top))
    files[file] = await fs.readFile(`${top}/${file}`, 'utf8');
  await mounts.close();
  await workspace[Symbol.asyncDispose]();
  tell({ type: 'over', files });
}

const begin = ({ data }: MessageEvent<KillsTask>) => {
  work(data).catch((error: unknown) => {
    postMessage({ type: 'failed', message: String(error) } satisfies Told);
  });
};
addEventListener('message', begin, { once: true });
