import { describe, expect, it } from 'vitest';
import { OpenRequests, RunningRequests } from '../../../src/hosts/browser/wire/request-port.ts';

describe('OpenRequests', () => {
  it('gives each entry once, and numbers that were never used', () => {
    const open = new OpenRequests<string>();
    const ids = [open.add('a'), open.add('b')];
    expect([open.get(ids[0] ?? 0), open.take(ids[0] ?? 0), open.take(ids[0] ?? 0)]).toEqual([
      'a',
      'a',
      undefined,
    ]);
    expect(ids).not.toContain(open.add('c'));
  });

  it('gives up all, or those that are meant, the oldest first', () => {
    const open = new OpenRequests<string>();
    for (const entry of ['a1', 'b1', 'a2', 'b2']) open.add(entry);
    expect(open.takeAll((entry) => entry.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(open.takeAll()).toEqual(['b1', 'b2']);
    expect(open.entries()).toEqual([]);
  });
});

describe('RunningRequests', () => {
  /** Rejects with the signal's reason. */
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  it('aborts the one that is named, and passes on what becomes of each', async () => {
    const running = new RunningRequests();
    const first = running.run(1, untilAborted);
    const second = running.run(2, untilAborted);
    const third = running.run(3, async () => 'done');
    running.abort(1, 'stopped');
    await expect(first).rejects.toBe('stopped');
    await expect(third).resolves.toBe('done');
    running.abort(3, 'too late');
    running.abortAll('closed');
    await expect(second).rejects.toBe('closed');
  });
});
