/**
 * Which portable tests the ordinary run leaves out in a runtime. Called by vitest.config.ts. Every file runs in Node;
 * of the rooms below, whose code computes and reaches its runtime by ports alone, a third runs in Chromium, and
 * another third in workerd. The seed says which.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of test/unit. Those of all other rooms run everywhere. */
const plainRooms = [
  'agent',
  'core',
  'model',
  'react',
  'search',
  'text',
  'tools',
  'workspace-files',
  'workspace-log',
  'workspace-tabs',
];

/** What runs everywhere all the same: each runtime has decoders, a `fetch` and bytes of its own. */
const everywhere =
  /\/(?:text\/(?:legacy-)?encoding|model\/anthropic[\w-]*|workspace-log\/codecs)\.test\.ts$/u;

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
    .filter((path) => !everywhere.test(path.replaceAll('\\', '/')))
    .sort()
    .filter((_, at) => at % stride !== (seed + turn) % stride)
    .map((path) => path.slice(root.length).replaceAll('\\', '/').replace(/^\//u, ''));
}
