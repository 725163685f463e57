// Parts of a search, and what is said of them while the call does them itself.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PartListener } from '../../../src/core/tool/handler.ts';
import { nextTask } from '../../../src/core/async/next-task.ts';
import { ContentIndex } from '../../../src/search/index/content-index.ts';
import { FileList } from '../../../src/search/index/kept-files.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import { searchInParts } from '../../../src/search/search-parts.ts';

const { plans } = compilePattern('x', {
  ignoreCase: false,
  multiline: false,
  checkTime: () => {},
});

// Each is a part.
const index = new ContentIndex();
const files = new FileList(
  [1, 2, 3, 4, 5, 6].map((id) => ({
    path: `/${id}`,
    size: 10_000_000,
    mtimeMs: 0,
    isReadable: true,
    entry: index.entryOf(id),
  })),
);

describe('parts that are late', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('lose nothing of what the call has found meanwhile, whatever is said of them then', async () => {
    let others: PartListener | undefined;
    const asked: number[] = [];
    const found = searchInParts(files.byPath, {
      // The cast: all that is used of a call.
      context: {
        fs: { search: { estimateBytes: () => Infinity } },
        limits: { maxFileBytes: 1e9 },
        signal: new AbortController().signal,
        shareWork(_parts: unknown, listener: PartListener) {
          others = listener;
          listener.onTaken(3);
        },
      } as never,
      plans,
      search(_part, from) {
        asked.push(from);
        // The worker that was late ends: it has answered to nothing.
        if (from === 5) for (const at of [3, 4, 5]) others?.onDone(at, undefined);
        return Promise.resolve(`found in ${from}`);
      },
    });
    while (vi.getTimerCount() === 0) await nextTask();
    vi.runAllTimers();
    expect(await found).toEqual([0, 1, 2, 3, 4, 5].map((at) => `found in ${at}`));
    expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
