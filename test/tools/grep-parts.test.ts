// A search of much text, parts of which others may do. Here that is a second realm in the same
// thread, which answers as another tool worker would. What is found must be what one realm finds
// alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { createServerFetch } from '../../src/core/host-ports/fetch-port.ts';
import type { PartListener } from '../../src/core/tool/handler.ts';
import { refuseNestedCalls } from '../../src/core/tool/nested-call.ts';
import type { WorkPart, WorkReply, WorkRequest } from '../../src/core/tool/ports.ts';
import { OpenCalls } from '../../src/hosts/open-calls.ts';
import { runHandler } from '../../src/hosts/run-handler.ts';
import type { GrepOutput } from '../../src/tools/grep/schema.ts';
import { workers } from '../../src/tools/workers.ts';
import { createMemoryWorkspace } from '../../src/workspace/memory-workspace.ts';
import { SearchService } from '../../src/search/search-service.ts';

// Together more than what a search must go through to be worth sharing.
const fileCount = 80;
const fileBytes = 512 * 1024;

const block = `${'a quiet line of text '.repeat(12)}\n`.repeat(16);
const textOf = (name: string) =>
  `first\nneedle of ${name}\n${block}`.repeat(Math.ceil(fileBytes / block.length));

let workspace: Awaited<ReturnType<typeof createMemoryWorkspace>>;

beforeAll(async () => {
  workspace = await createMemoryWorkspace();
  const write = (name: string, text: string) => workspace.fs.writeFile(`/work/${name}`, text);
  for (let at = 0; at < 7; at += 1) await workspace.fs.mkdir(`/work/${at}`, { recursive: true });
  for (let at = 0; at < fileCount; at += 1) {
    const name = `${at % 7}/file-${at}.txt`;
    await write(name, textOf(name));
  }
  await write('3/binary.txt', `needle\n${'x'.repeat(70_000)}\0`);
  await write('5/huge.txt', 'needle\n'.repeat(200_000));
  await write('2/ignored.log', 'needle\n');
  await write('.gitignore', '*.log\n');
});

interface Offer extends PartListener {
  readonly parts: readonly WorkPart[];
  /** Has another realm do one. */
  doPart(at: number): Promise<WorkReply>;
}

interface RunOptions {
  /** Left out: there is one realm only. */
  readonly onOffer?: (offer: Offer) => void;
  readonly signal?: AbortSignal;
  readonly part?: WorkPart;
  readonly isBackground?: true;
}

function run(
  input: object,
  { onOffer, signal, part, isBackground }: RunOptions = {},
): Promise<WorkReply> {
  const request: WorkRequest = {
    callId: part ? 'part' : 'call',
    toolName: 'Grep',
    input,
    sessionId: 'session',
    address: { root: 'main', minSeq: workspace.seq() },
    access: {
      cwd: '/work',
      roots: ['/work'],
      readOnlyRoots: [],
      rules: [{ effect: 'deny', operation: 'read', glob: '6/**' }],
      write: 'deny',
    },
    cwd: '/work',
    limits: { timeoutMs: 60_000, maxFileBytes: 1e6, maxOutputChars: 1e9, maxMemoryBytes: 1e9 },
    knownVersions: [],
    ...(part && { part }),
    ...(isBackground && { isBackground }),
  };
  return runHandler(
    request,
    {
      entries: workers,
      views: workspace,
      search: new SearchService(),
      realm: {
        loadWasm: () => Promise.reject(new Error('Grep needs no wasm.')),
        keep: (_key, create) => create(),
        network: createServerFetch(() => Promise.reject(new Error('Grep needs no network.'))),
      },
      savedStates: { get: () => undefined, set: () => {} },
      openCalls: new OpenCalls(),
    },
    {
      onProgress: () => {},
      onEffect: () => {},
      onNestedCall: refuseNestedCalls,
      onClockStart: () => {},
      onDownload: () => {},
      signal: signal ?? new AbortController().signal,
      ...(onOffer && {
        onShareWork: (parts, others) => {
          const doPart = (at: number) => run(input, { part: parts[at] ?? { seq: -1, task: null } });
          onOffer({ parts, doPart, ...others });
        },
      }),
    },
  );
}

async function outputOf(reply: Promise<WorkReply>): Promise<GrepOutput> {
  const settled = await reply;
  if (settled.type !== 'done') throw new Error(JSON.stringify(settled));
  return settled.output as GrepOutput;
}

/** Another realm does the parts from this one on, but for those that it fails in. */
const takeFrom =
  (from: number, fails: (at: number) => boolean = () => false) =>
  ({ parts, doPart, onTaken, onDone }: Offer) => {
    onTaken(from);
    for (const at of [...parts.keys()].slice(from)) {
      if (fails(at)) onDone(at, undefined);
      else void outputOf(doPart(at)).then((output) => onDone(at, output));
    }
  };

describe('a search of much text', () => {
  it.each<[string, object]>([
    ['counts', { output_mode: 'count' }],
    ['a page of counts', { output_mode: 'count', head_limit: 5, offset: 3 }],
    ['all lines', { output_mode: 'content', head_limit: 0 }],
    ['lines with others around them', { output_mode: 'content', head_limit: 0, '-B': 1, '-A': 2 }],
    ['parts of lines', { output_mode: 'content', head_limit: 0, '-o': true, '-n': false }],
  ])('gives the same %s whoever does its parts', async (_what, mode) => {
    const input = { pattern: 'needle', ...mode };
    const alone = await outputOf(run(input));
    expect(alone.unreadFiles).toEqual(['5/huge.txt']);
    expect(alone.filenames.length).toBeGreaterThan(4);
    const shares = [takeFrom(1), takeFrom(3), takeFrom(2, (at) => at % 2 === 0)];
    for (const onOffer of shares) expect(await outputOf(run(input, { onOffer }))).toEqual(alone);
  });

  it('takes what another realm has found in a part instead of looking itself', async () => {
    const input = { pattern: 'needle', output_mode: 'count', head_limit: 0 };
    const alone = await outputOf(run(input));
    const found = await outputOf(
      run(input, {
        onOffer: ({ parts, onTaken, onDone }) => {
          const made = { counts: [['made up', 5]], unreadFiles: ['unread'] };
          onTaken(1);
          // When this realm has done its own part, and waits.
          const answer = () => parts.forEach((_, at) => void (at > 0 && onDone(at, made)));
          setTimeout(answer, 100);
        },
      }),
    );
    const madeUp = found.filenames.filter((name) => name === 'made up');
    const own = found.filenames.slice(0, -madeUp.length);
    expect(madeUp.length).toBeGreaterThan(1);
    expect(own).toEqual(alone.filenames.slice(0, own.length));
    expect(found.unreadFiles).toEqual(madeUp.map(() => 'unread'));
  });

  it('waits for no part that nobody does', async () => {
    const input = { pattern: 'needle', output_mode: 'count', head_limit: 0 };
    const alone = await outputOf(run(input));
    expect(await outputOf(run(input, { onOffer: () => {} }))).toEqual(alone);
  });

  it('does parts itself that were taken and never come', async () => {
    const input = { pattern: 'needle', output_mode: 'count', head_limit: 0 };
    const alone = await outputOf(run(input));
    const onOffer = ({ onTaken }: Offer) => onTaken(3);
    expect(await outputOf(run(input, { onOffer }))).toEqual(alone);
  });

  it('is aborted while it waits for a part', async () => {
    const controller = new AbortController();
    const onOffer = ({ onTaken }: Offer) => {
      onTaken(1);
      setTimeout(() => controller.abort(), 100);
    };
    const input = { pattern: 'needle', output_mode: 'count' };
    const reply = run(input, { signal: controller.signal, onOffer });
    // Less than it waits for parts that don't come: timers fire in their order.
    const late = new Promise((resolve) => void setTimeout(resolve, 900, 'late'));
    const aborted = { type: 'failed', error: { code: 'aborted' } };
    expect(await Promise.race([reply, late])).toMatchObject(aborted);
  });

  it('is aborted between its parts', async () => {
    const controller = new AbortController();
    const reply = await run(
      { pattern: 'needle', output_mode: 'count' },
      { signal: controller.signal, onOffer: () => controller.abort() },
    );
    expect(reply).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
  });

  it('has no part done over files that have changed since', async () => {
    const onOffer = async ({ parts }: Offer) => {
      const [part] = parts;
      expect(part?.seq).toBe(workspace.seq());
      await workspace.fs.writeFile('/work/new.txt', 'needle');
      const late = await run(
        { pattern: 'needle', output_mode: 'count' },
        { part: part as WorkPart },
      );
      expect(late).toMatchObject({ type: 'failed', error: { code: 'ECONFLICT' } });
    };
    let checked: Promise<void> | undefined;
    const input = { pattern: 'needle', output_mode: 'count', head_limit: 0 };
    const found = await outputOf(run(input, { onOffer: (offer) => (checked = onOffer(offer)) }));
    await checked;
    expect(checked).toBeDefined();
    // The search itself is of the files as they were.
    expect(found.filenames).not.toContain('new.txt');
  });

  it.each([
    ['what its limit may end', { output_mode: 'content' }],
    ['names of files', { output_mode: 'files_with_matches', head_limit: 0 }],
    ['what is in few files', { output_mode: 'count', path: '1' }],
    ['a file that was named', { output_mode: 'count', path: '1/file-1.txt' }],
  ])('isn’t shared for %s', async (_what, mode) => {
    let isOffered = false;
    await outputOf(run({ pattern: 'needle', ...mode }, { onOffer: () => void (isOffered = true) }));
    expect(isOffered).toBe(false);
  });

  it('isn’t shared by a call in the background: a worker would be started for each part', async () => {
    let isOffered = false;
    const onOffer = () => void (isOffered = true);
    const input = { pattern: 'needle', output_mode: 'count' };
    await outputOf(run(input, { onOffer, isBackground: true }));
    expect(isOffered).toBe(false);
    await outputOf(run(input, { onOffer }));
    expect(isOffered).toBe(true);
  });
});
