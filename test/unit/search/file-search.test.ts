import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ContentId } from '../../../src/core/change-set.ts';
import { createContentEra } from '../../../src/workspace/state/content-era.ts';
import type { ContentSource } from '../../../src/workspace/state/content-source.ts';
import { createDraftView } from '../../../src/workspace/draft/draft-view.ts';
import { nextTask } from '../../../src/core/async/next-task.ts';
import { createFileSearch, type FileSearch } from '../../../src/search/file-search.ts';
import { hasMatch } from '../../../src/search/find-matches.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import { SearchMemory, type SearchOptions } from '../../../src/search/index/search-memory.ts';
import { emptyRoot, withNode } from '../../../src/workspace/tree/tree.ts';

/** Files `/f0`, `/f1`, …, whose contents are counted as they are read. */
function createFiles(texts: readonly string[], options?: SearchOptions) {
  const reads: ContentId[] = [];
  let root = emptyRoot;
  for (const [at, text] of texts.entries()) {
    const file = { kind: 'file', mode: 0o644, mtimeMs: at, version: 1 } as const;
    root = withNode(root, `/f${at}`, { ...file, content: at, size: text.length });
  }
  const lost = new Set<ContentId>();
  const contents: ContentSource = {
    readSync: (contentId) => new TextEncoder().encode(texts[contentId]),
    async readMany(contentIds) {
      reads.push(...contentIds);
      const missing = contentIds.find((contentId) => lost.has(contentId));
      if (missing !== undefined) throw new Error(`Content ${missing} is lost.`);
      return contentIds.map((contentId) => contents.readSync(contentId));
    },
  };
  const ending = new AbortController();
  const era = createContentEra(ending.signal, () => new Map());
  const memory = new SearchMemory(era, options);
  const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;
  const open = () => {
    const { fs, files } = createDraftView({ root, seq: 1, contents, access, era });
    return { fs, search: createFileSearch(files, memory) };
  };
  return { reads, memory, ending, open, contents, lost };
}

interface FindOptions {
  readonly signal?: AbortSignal;
  readonly limit?: number;
}

/** The files with a match, in the order of their paths. */
async function find(
  { search }: { readonly search: FileSearch },
  source: string,
  { signal = new AbortController().signal, limit = Infinity }: FindOptions = {},
): Promise<string[]> {
  const pattern = compilePattern(source, {
    ignoreCase: false,
    multiline: false,
    checkTime: () => {},
  });
  const found: string[] = [];
  const { byPath } = await search.list('/');
  const options = {
    plans: pattern.plans,
    isExplicit: false,
    maxFileBytes: 1000,
    signal,
    onProgress: () => {},
  };
  await search.visit(byPath, options, ({ path }, content) => {
    if (content !== 'unreadable' && hasMatch(pattern, content)) found.push(path);
    return found.length === limit ? 'stop' : undefined;
  });
  return found;
}

const quiet = { readsAhead: false } as const;

describe('a search of the files', () => {
  it('reads nothing twice as long as its text is kept', async () => {
    const { open, reads } = createFiles(['needle', 'thread', 'needles'], quiet);
    expect(await find(open(), 'needle')).toEqual(['/f0', '/f2']);
    expect(await find(open(), 'thread')).toEqual(['/f1']);
    expect(reads).toEqual([0, 1, 2]);
  });

  it('reads only what may match where no text is kept', async () => {
    const { open, reads } = createFiles(['needle', 'thread', 'needles'], {
      ...quiet,
      maxTextBytes: 0,
    });
    await find(open(), 'needle');
    reads.length = 0;
    expect(await find(open(), 'thread')).toEqual(['/f1']);
    expect(reads).toEqual([1]);
  });

  it('takes only texts that match from other realms that keep some', async () => {
    const { open, reads, memory } = createFiles(['needle', 'thread', 'needles'], quiet);
    memory.index.yieldTexts({ contents: [], bytes: 1, realms: 2 });
    expect(await find(open(), 'needle')).toEqual(['/f0', '/f2']);
    expect(memory.index.bytes.texts).toBe('needle'.length + 'needles'.length);
    reads.length = 0;
    expect(await find(open(), 'needle')).toEqual(['/f0', '/f2']);
    expect(reads).toEqual([]);
    expect(await find(open(), 'thread')).toEqual(['/f1']);
    expect(reads).toEqual([1]);
  });

  it('drops no text for another of the same search, which may have parts', async () => {
    const { open, reads } = createFiles(['one', 'two', 'three', 'four'], {
      ...quiet,
      maxTextBytes: 6,
    });
    const { search } = open();
    const { byPath } = await search.list('/');
    const options = {
      isExplicit: false,
      maxFileBytes: 1000,
      signal: new AbortController().signal,
      onProgress: () => {},
    };
    const visitAll = async () => {
      await search.visit(byPath.slice(0, 2), options, () => {});
      await search.visit(byPath.slice(2, 4), { ...options, isContinued: true }, () => {});
    };
    await visitAll();
    reads.length = 0;
    await visitAll();
    expect(reads).toEqual([2, 3]);
  });

  it("knows what a draft has written, and shares all else with the draft's base", async () => {
    const { open, reads, memory } = createFiles(['needle', 'thread', 'other'], quiet);
    await find(open(), 'needle');
    reads.length = 0;
    const draft = open();
    await draft.fs.writeFile('/f1', 'a needle now');
    await draft.fs.writeFile('/new', 'needle');
    await draft.fs.rename('/f0', '/moved');
    expect(await find(draft, 'needle')).toEqual(['/f1', '/moved', '/new']);
    expect(await find(draft, 'thread')).toEqual([]);
    expect(await find(open(), 'needle')).toEqual(['/f0']);
    expect(await find(open(), 'thread')).toEqual(['/f1']);
    expect(reads).toEqual([]);
    expect(memory.index.size).toBe(3);
  });

  it('stops where the visitor says so, and looks no further', async () => {
    const texts = Array.from({ length: 200 }, () => 'needle');
    const { open, reads } = createFiles(texts, quiet);
    expect(await find(open(), 'needle', { limit: 2 })).toHaveLength(2);
    expect(reads).toHaveLength(64);
  });

  it('gives large files as unreadable, without reading them', async () => {
    const { open, reads } = createFiles(['x'.repeat(1001), 'needle'], quiet);
    const { search } = open();
    const { byPath } = await search.list('/');
    const seen: unknown[] = [];
    const options = {
      isExplicit: false,
      maxFileBytes: 1000,
      signal: new AbortController().signal,
      onProgress: () => {},
    };
    await search.visit(byPath, options, ({ path }, content) => {
      seen.push([path, content === 'unreadable' ? content : content.text]);
    });
    expect(seen).toEqual([
      ['/f0', 'unreadable'],
      ['/f1', 'needle'],
    ]);
    expect(reads).toEqual([1]);
  });

  it('ends when it is aborted', async () => {
    const { open } = createFiles(['needle'], quiet);
    await expect(find(open(), 'needle', { signal: AbortSignal.abort() })).rejects.toThrow(
      expect.objectContaining({ code: 'aborted' }),
    );
  });

  it('lets others have the thread where a pattern takes long', async () => {
    const { open } = createFiles(Array.from({ length: 8 }, () => 'word '.repeat(20_000)));
    const { search } = open();
    const { byPath } = await search.list('/');
    // A clock by which each text takes 100 ms.
    let ms = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms);
    onTestFinished(() => clock.mockRestore());
    const controller = new AbortController();
    let visits = 0;
    const { signal } = controller;
    const options = { isExplicit: false, maxFileBytes: 1e6, signal, onProgress: () => {} };
    const visiting = search.visit(byPath, options, () => {
      visits += 1;
      ms += 100;
      // From here on it is heard as soon as the thread is free.
      if (visits === 1) void nextTask().then(() => controller.abort());
    });
    await expect(visiting).rejects.toMatchObject({ code: 'aborted' });
    expect(visits).toBeLessThan(4);
  });
});

describe('reading ahead', () => {
  const texts = Array.from({ length: 300 }, (_, at) => `needle ${at} `.padEnd(900, '.'));

  it('indexes all files, tells how far it is, and is right if a search comes between', async () => {
    // Longer files, so that there are several slices.
    const long = texts.map((text) => text.padEnd(20_000, '.'));
    const { open, memory } = createFiles(long, quiet);
    const progress: number[] = [];
    const { signal } = new AbortController();
    const preparing = open().search.prepare('/', {
      signal,
      maxFileBytes: 100_000,
      onProgress: (done) => progress.push(done),
    });
    expect(await find(open(), 'nowhere')).toEqual([]);
    await preparing;
    expect(progress.length).toBeGreaterThan(3);
    expect(progress.at(-1)).toBe(300);
    expect(progress).toEqual(progress.toSorted((left, right) => left - right));
    expect(memory.index.unread).toBe(0);
  });

  it('goes on after a search that was content with less', async () => {
    const { open, memory } = createFiles(texts);
    await find(open(), 'needle', { limit: 1 });
    expect(memory.index.unread).toBe(236);
    await expect.poll(() => memory.index.unread).toBe(0);
  });

  it('stops when it is aborted, and keeps what it has read', async () => {
    const { open, memory } = createFiles(
      texts.map((text) => text.padEnd(20_000, '.')),
      quiet,
    );
    const controller = new AbortController();
    const preparing = open().search.prepare('/', {
      signal: controller.signal,
      maxFileBytes: 100_000,
      onProgress: () => controller.abort(),
    });
    await expect(preparing).rejects.toThrow(expect.objectContaining({ code: 'aborted' }));
    expect(memory.index.unread).toBeGreaterThan(0);
    expect(memory.index.unread).toBeLessThan(300);
  });

  it('reads all that can be read, and tells once why the rest can not', async () => {
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { open, memory, contents, lost } = createFiles(['needle', 'thread', 'needles']);
    lost.add(1);
    const { byPath } = await open().search.list('/');
    const source = { contents, index: memory.index };
    await memory.readRest(source, byPath, 1000);
    await memory.readRest(source, byPath, 1000);
    expect(memory.index.unread).toBe(1);
    expect(told.mock.calls).toEqual([[expect.any(String), new Error('Content 1 is lost.')]]);
    told.mockRestore();
    lost.clear();
    await memory.readRest(source, byPath, 1000);
    expect(memory.index.unread).toBe(0);
  });

  it('ends with the era whose contents it reads', async () => {
    const { open, memory, ending } = createFiles(texts);
    ending.abort();
    await find(open(), 'needle', { limit: 1 });
    expect(memory.index.unread).toBe(236);
    await new Promise((resolve) => setTimeout(resolve));
    expect(memory.index.unread).toBe(236);
  });
});

it('what only drafts had is forgotten once there is much of it', () => {
  const { memory } = createFiles([]);
  const isTidy = (drafts: number) => {
    while (memory.index.draftSize < drafts) memory.index.entryOf(new Uint8Array(1));
    memory.tidy();
    return memory.index.draftSize === 0;
  };
  expect([isTidy(9_999), isTidy(10_000)]).toEqual([false, true]);
});

describe('a list of files', () => {
  it('has the real paths where `..` stands behind a link: what was asked for leads elsewhere', async () => {
    const { fs, search } = createFiles([]).open();
    fs.sync.mkdirSync('/a/b', { recursive: true });
    fs.sync.writeFileSync('/a/x.txt', '');
    fs.sync.symlinkSync('/a/b', '/far');
    const { byPath } = await search.list('/far/..');
    expect(byPath.files.map(({ path }) => path)).toEqual(['/a/x.txt']);
  });
});
