// A medium in memory that records each write, and gives its state after any of them. That is the state that a page
// leaves when it is killed there. So a run is played once, and not once for each point.
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { AppendFile, LogMedium } from '../../../src/workspace/log/log-medium.ts';

export interface RecordedMedium {
  readonly medium: LogMedium;
  /** How often it was written to. */
  count(): number;
  /** A medium with only the first `count` writes. */
  after(count: number): Promise<RecordedMedium>;
}

type Write = (medium: LogMedium, files: Map<string, AppendFile>) => unknown;

export function createRecordedMedium(): RecordedMedium {
  return record(createMemoryMedium(), []);
}

/** `writes`: those that have made the medium what it is. */
function record(medium: LogMedium, writes: Write[]): RecordedMedium {
  return {
    medium: {
      ...medium,
      async create(name) {
        writes.push(async (to, files) => files.set(name, await to.create(name)));
        const file = await medium.create(name);
        return {
          ...file,
          append(bytes, durability) {
            // Its owner may use the bytes again.
            const kept = bytes.slice();
            writes.push((_, files) => files.get(name)?.append(kept, durability));
            return file.append(bytes, durability);
          },
          truncate(length) {
            writes.push((_, files) => files.get(name)?.truncate(length));
            return file.truncate(length);
          },
        };
      },
      remove(name) {
        writes.push((to) => to.remove(name));
        return medium.remove(name);
      },
    },
    count: () => writes.length,
    async after(count) {
      const copy = createMemoryMedium();
      const files = new Map<string, AppendFile>();
      const first = writes.slice(0, count);
      for (const write of first) await write(copy, files);
      return record(copy, first);
    },
  };
}
