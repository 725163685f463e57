// What every `watch` promises. Runs on Node's fs too, so how many events a change makes is left open.
import { beforeEach, describe, expect, it } from 'vitest';
import { isAbortError } from '../../src/core/async/abort.ts';
import type { WatchEvent } from '../../src/workspace/files/file-options.ts';
import { codeOf, type FileSystemSubject, type NodeHalf } from './file-system-subject.ts';

export function describeWatching(
  name: string,
  open: () => Promise<FileSystemSubject<NodeHalf>>,
): void {
  describe(`${name}: watching as in Node`, () => {
    let fs: NodeHalf;
    let root: string;
    const at = (path: string) => `${root}/${path}`;

    beforeEach(async () => {
      ({ fs, root } = await open());
      await fs.mkdir(at('dir/sub'), { recursive: true });
      await fs.writeFile(at('dir/file'), 'content');
    });

    /** Listens, lets something happen, and takes events until the expected one; all that came. */
    async function eventsUntil(
      watcher: AsyncIterableIterator<WatchEvent>,
      expected: WatchEvent,
      happen: () => Promise<unknown>,
    ): Promise<WatchEvent[]> {
      const events: WatchEvent[] = [];
      let next = watcher.next();
      await happen();
      for (;;) {
        const { value, done } = await next;
        if (done) return events;
        events.push({ eventType: value.eventType, filename: value.filename });
        if (value.eventType === expected.eventType && value.filename === expected.filename) {
          await watcher.return?.();
          return events;
        }
        next = watcher.next();
      }
    }

    it('tells what comes into a directory, and not what comes below it', async () => {
      const made: WatchEvent = { eventType: 'rename', filename: 'made' };
      const events = await eventsUntil(fs.watch(at('dir')), made, async () => {
        await fs.writeFile(at('dir/sub/deep'), '');
        await fs.writeFile(at('dir/made'), '');
      });
      expect(events).toEqual([made]);
    });

    it('tells what leaves it, and under which name a file comes back', async () => {
      const back: WatchEvent = { eventType: 'rename', filename: 'renamed' };
      const events = await eventsUntil(fs.watch(at('dir')), back, () =>
        fs.rename(at('dir/file'), at('dir/renamed')),
      );
      expect(events).toEqual([{ eventType: 'rename', filename: 'file' }, back]);
    });

    it('tells a change of what is there', async () => {
      const changed: WatchEvent = { eventType: 'change', filename: 'file' };
      const change = () => fs.writeFile(at('dir/file'), 'changed');
      expect(await eventsUntil(fs.watch(at('dir')), changed, change)).toEqual([changed]);
      const again = () => fs.writeFile(at('dir/file'), 'once more');
      expect(await eventsUntil(fs.watch(at('dir/file')), changed, again)).toEqual([changed]);
    });

    it('tells what happens below, where it is asked to', async () => {
      const made: WatchEvent = { eventType: 'rename', filename: 'sub/deep' };
      const watcher = fs.watch(at('dir'), { recursive: true });
      const events = await eventsUntil(watcher, made, () => fs.writeFile(at('dir/sub/deep'), ''));
      expect(events).toEqual([made]);
    });

    it('tells that what it watches went with its directory', async () => {
      const gone: WatchEvent = { eventType: 'rename', filename: 'file' };
      const watcher = fs.watch(at('dir/file'));
      const changed = watcher.next();
      await fs.writeFile(at('dir/file'), 'changed');
      expect((await changed).value.eventType).toBe('change');
      const remove = () => fs.rm(at('dir'), { recursive: true });
      expect(await eventsUntil(watcher, gone, remove)).toContainEqual(gone);
    });

    it('ends with its signal', async () => {
      const controller = new AbortController();
      const watcher = fs.watch(at('dir'), { signal: controller.signal });
      const next = watcher.next().catch((error: unknown) => error);
      controller.abort();
      expect(isAbortError(await next)).toBe(true);
      const late = fs.watch(at('dir'), { signal: controller.signal }).next();
      expect(isAbortError(await late.catch((error: unknown) => error))).toBe(true);
    });

    it('fails where nothing is', async () => {
      expect(await codeOf(fs.watch(at('missing')).next())).toBe('ENOENT');
    });
  });
}
