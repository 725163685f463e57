// What a stream costs and whom it reaches. Appends share a flush, a full medium changes nothing,
// dropped streams free their bytes, and tool workers are fed none of it.
import { describe, expect, it } from 'vitest';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { tinyLimits } from '../../support/storage/log-history.ts';
import { openReplicaOf, openTestWriter, withFiles } from '../../support/files/workspaces.ts';
import { readAll } from '../../support/read-all.ts';

const author = { kind: 'agent' } as const;
const none = { baseSeq: 0, changes: [] };

function writing(path: string, text: string) {
  const content = new TextEncoder().encode(text);
  const change = { type: 'write', path, baseVersion: 0, content, mode: 0o644 } as const;
  return { baseSeq: 0, changes: [{ ...change, mtimeMs: 1 }] };
}

describe('appends to streams', () => {
  it('that wait at the same time share a flush, with commits among them', async () => {
    const flushes: string[] = [];
    const medium = withFiles(createMemoryMedium(), (file) => ({
      append(bytes, durability) {
        flushes.push(durability);
        return file.append(bytes, durability);
      },
    }));
    const { streams, commit } = createWriterWorkspace(await openTestWriter(medium));
    await streams.append('s0', [{ value: 0 }], { at: 0 });
    flushes.length = 0;
    const appends = Array.from({ length: 50 }, (_, at) =>
      streams.append(`s${at % 5}`, [{ value: at }], {
        at: Math.floor(at / 5) + (at % 5 === 0 ? 1 : 0),
        durability: at === 7 ? 'power' : 'process',
      }),
    );
    await Promise.all([...appends, commit(writing('/f', 'text'), { author })]);
    expect(flushes).toEqual(['power']);
    await streams.append('s0', [{ value: 0 }], { at: 11, durability: 'process' });
    expect(flushes).toEqual(['power', 'process']);
  });

  it('tell with which commit each entry landed, packed or not', async () => {
    const { streams, commit } = createWriterWorkspace(await openTestWriter(createMemoryMedium()));
    const seqs: (number | undefined)[] = [];
    for (let at = 0; at < 12; at += 1) {
      const hasFile = at % 3 === 0;
      const entries = [{ value: `${at} ${'x'.repeat(10_000)}` }];
      const append = { stream: 's', at, entries };
      const changes = hasFile ? writing(`/f${at}`, 'text') : none;
      const { seq } = await commit(changes, { author, append });
      seqs.push(hasFile ? seq : undefined);
    }
    expect((await readAll(streams.read('s'))).map(({ seq }) => seq)).toEqual(seqs);
  });

  it('reject on a full medium and change nothing, alone or with files', async () => {
    let isFull = false;
    const medium = withFiles(createMemoryMedium(), (file) => ({
      append(bytes, durability) {
        if (isFull) throw new DOMException('full', 'QuotaExceededError');
        return file.append(bytes, durability);
      },
    }));
    const { streams, commit, fs } = createWriterWorkspace(await openTestWriter(medium));
    await streams.append('s', [{ value: 1 }], { at: 0 });
    isFull = true;
    const entries = [{ value: 2 }];
    const refused = { code: 'ENOSPC' };
    await expect(streams.append('s', entries, { at: 1 })).rejects.toMatchObject(refused);
    const append = { stream: 's', at: 1, entries };
    const committing = commit(writing('/f', 'text'), { author, append });
    await expect(committing).rejects.toMatchObject(refused);
    isFull = false;
    expect((await streams.list())[0]).toMatchObject({ length: 1 });
    expect(await fs.readdir('/')).toEqual([]);
    expect(await streams.append('s', entries, { at: 1 })).toEqual({ length: 2 });
  });

  it('keep their bytes through compactions until no stream needs them', async () => {
    const medium = createMemoryMedium();
    const limits = { ...tinyLimits, packBytes: 500 };
    const writer = await openWorkspaceWriter(medium, { name: 'test', limits });
    const { streams, commit } = createWriterWorkspace(writer);
    // Empty commits let upkeep run to its end.
    const rest = async () => {
      for (let turn = 0; turn < 300; turn += 1) await commit(none, { author });
    };
    const text = 'x'.repeat(100);
    for (let at = 0; at < 200; at += 1) {
      const contents = [new Uint8Array(100).fill(at)];
      await streams.append('s', [{ value: `${at} ${text}`, contents }], { at });
    }
    await streams.fork('s', 'fork', { length: 100 });
    await rest();
    const whole = (await writer.info()).logBytes;
    await streams.drop('s');
    await rest();
    const half = (await writer.info()).logBytes;
    const entries = await readAll(streams.read('fork'));
    expect(entries.map(({ value }) => value)).toEqual(
      Array.from({ length: 100 }, (_, at) => `${at} ${text}`),
    );
    for (const [at, { contents }] of entries.entries()) {
      expect(await streams.readContent(contents?.[0] ?? 0)).toEqual(new Uint8Array(100).fill(at));
    }
    await streams.drop('fork');
    await rest();
    const empty = (await writer.info()).logBytes;
    expect([whole > 40_000, half < whole * 0.75, empty < half / 3]).toEqual([true, true, true]);
  });

  it('reach no tool worker: neither its snapshot nor its records have anything of them', async () => {
    const writer = await openTestWriter();
    const { streams, commit } = createWriterWorkspace(writer);
    const secret = { value: 'a secret', contents: [new TextEncoder().encode('a secret')] };
    const long = { value: `a secret ${'x'.repeat(40_000)}` };
    await streams.append('s', [secret, long], { at: 0 });
    await commit(writing('/before', 'file'), { author });
    const { replica, messages } = await openReplicaOf(writer);
    await streams.append('s', [secret], { at: 2 });
    const append = { stream: 's', at: 3, entries: [secret, long] };
    await commit(writing('/f', 'text'), { author, append });
    await streams.drop('s');
    expect([replica.seq(), messages.map(({ type }) => type)]).toEqual([2, ['snapshot', 'record']]);
    const text = JSON.stringify(messages, (_key, value: unknown) =>
      value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
    );
    expect([text.includes('text'), text.includes('secret'), text.includes('"s"')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
