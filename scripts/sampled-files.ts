/**
 * Which portable tests the ordinary run leaves out in a runtime. Called by vitest.config.ts. Every file runs in Node;
 * of the rooms below, whose code computes and reaches its runtime by ports alone, a third runs in Chromium, and
 * another third in workerd. The seed says which.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of test/unit. Those of all other rooms run everywhere. */
const plainRooms = ['agent', 'core', 'react', 'tools'];

const stride = 3;

/** Paths below `root` that are left out. `turn` is the runtime's: another third for each. */
export function listUnsampled(
  root: string,
  { seed, turn }: { seed: number; turn: number },
): string[] {
  const folders = plainRooms.map((room) => join(root, 'test/unit', room));
  const files = folders.flatMap((folder) =>
    globSync('**/*.test.ts', { cwd: folder }).map((name) => join(folder, name)),
  );
  return files
    .filter((path) => !/\.(?:node|browser|workerd)\.test\.ts$/u.test(path))
    .sort()
    .filter((_, at) => at % stride !== (seed + turn) % stride)
    .map((path) => path.slice(root.length).replaceAll('\\', '/').replace(/^\//u, ''));
}
