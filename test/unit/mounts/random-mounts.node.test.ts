// A mount whose two sides change at random, and whose source fails at random. Once it is read and written again, both
// sides are the same, and whatever was written on one of them is there.
import { expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { createInlineHost, type InlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createMemoryHostFs } from '../../support/files/memory-host-fs.ts';
import type { MemoryHostFs } from '../../support/files/memory-host-fs.ts';
import { createRandom, type Random } from '../../support/random.ts';

/** 25: enough for each of the faults that this test has found. More by hand: `RUNS=5000`. */
const runs = Number(process.env['RUNS'] ?? 25);

const top = '/workspace/disk';
const rounds = 6;
const names = ['a', 'b', 'd'];
const failures: readonly ErrorCode[] = ['EIO', 'EBUSY', 'EACCES', 'ENOSPC'];

type Files = Readonly<Record<string, string>>;

it.each(Array.from({ length: runs }, (_, seed) => seed))(
  'both sides come to be the same, and nothing written is lost (%i)',
  async (seed) => {
    const random = createRandom(seed);
    const workspace = await createMemoryWorkspace();
    const source = createMemoryHostFs({ id: 'one', files: { a: 'A', 'd/b': 'B' } });
    const open = async () => {
      const opened = await createInlineHost({ workspace });
      return { host: opened, mount: await opened.mount(top, source) };
    };
    let { host, mount } = await open();
    const steps: string[] = [];
    let written = 0;
    const say = () => `<${(written += 1)}>`;
    const toPath = () =>
      Array.from({ length: 1 + random.below(3) }, () => random.pick(names)).join('/');

    for (let round = 0; round < rounds; round += 1) {
      const before = [await readSide(host), source.list()] as const;
      for (let left = random.below(5); left > 0; left -= 1)
        steps.push(await changeHere(host, random, toPath, say));
      for (let left = random.below(5); left > 0; left -= 1)
        steps.push(changeOutside(source, random, toPath(), say));
      const after = [await readSide(host), source.list()] as const;
      if (random.chance(0.25)) {
        steps.push(failOnce(source, random.below(12), random.pick(failures)));
        await mount.sync().catch(() => undefined);
        source.before = () => undefined;
      }
      if (random.chance(0.2)) {
        steps.push('another host');
        await host[Symbol.asyncDispose]();
        ({ host, mount } = await open());
      }
      steps.push('sync');
      await mount.sync();
      const here = await readSide(host);
      const sees = steps.join('\n');
      expect(source.list(), sees).toEqual(here);
      const all = Object.values(here).join('\n');
      const wrote = after.flatMap((side, at) => listNew(before[at] ?? {}, side));
      expect(
        wrote.filter((text) => !all.includes(text)),
        sees,
      ).toEqual([]);
    }
    await host[Symbol.asyncDispose]();
  },
);

/** In the form of the source's own list. */
async function readSide({ workspace: { fs } }: InlineHost): Promise<Files> {
  const paths = (await fs.readdir(top, { recursive: true })).toSorted();
  const entries = paths.map(async (path) => {
    const isDirectory = (await fs.stat(`${top}/${path}`)).isDirectory();
    return isDirectory ? [`${path}/`, ''] : [path, await fs.readFile(`${top}/${path}`, 'utf8')];
  });
  return Object.fromEntries(await Promise.all(entries)) as Files;
}

const refusals = ['EEXIST', 'EINVAL', 'EISDIR', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY'];

/** Does nothing where the path doesn't fit. */
async function changeHere(
  { workspace: { fs } }: InlineHost,
  random: Random,
  toPath: () => string,
  say: () => string,
): Promise<string> {
  const [path, other, text] = [toPath(), toPath(), say()];
  const place = `${top}/${path}`;
  const write = async () => {
    await fs.mkdir(place.slice(0, place.lastIndexOf('/')), { recursive: true });
    await fs.writeFile(place, text);
  };
  const [step, change] = random.pick([
    [`here write ${path} ${text}`, write],
    [`here write ${path} ${text}`, write],
    [`here append ${path} ${text}`, () => fs.appendFile(place, text)],
    [`here rename ${path} ${other}`, () => fs.rename(place, `${top}/${other}`)],
    [`here remove ${path}`, () => fs.rm(place, { recursive: true })],
    [`here mkdir ${path}`, () => fs.mkdir(place, { recursive: true })],
  ] as const);
  try {
    await change();
    return step;
  } catch (error) {
    if (SdkError.isInstance(error) && refusals.includes(error.code)) return `(${step})`;
    throw error;
  }
}

/** As another program does. Does nothing where the path doesn't fit. */
function changeOutside(
  source: MemoryHostFs,
  random: Random,
  path: string,
  say: () => string,
): string {
  const isThere = (name: string) => name in source.list();
  const parts = path.split('/');
  const above = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('/'));
  if (above.some(isThere)) return `(outside ${path})`;
  if (random.chance(0.4)) {
    source.change(path, null);
    return `outside remove ${path}`;
  }
  if (isThere(`${path}/`)) return `(outside write ${path})`;
  const text = say();
  source.change(path, text);
  return `outside write ${path} ${text}`;
}

function failOnce(source: MemoryHostFs, at: number, code: ErrorCode): string {
  let calls = 0;
  source.before = () => {
    calls += 1;
    if (calls > at) {
      source.before = () => undefined;
      throw new SdkError(code, `It fails with ${code}.`);
    }
  };
  return `call ${at} fails with ${code}`;
}

/** What was written since, one text each. */
function listNew(before: Files, after: Files): string[] {
  return Object.entries(after).flatMap(([path, text]) =>
    text === before[path] ? [] : (text.match(/<\d+>/gu) ?? []),
  );
}
