// The person's instructions for all projects. They are stored in this browser, and written to the home directory of
// each project's workspace, where conversations read them.
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { onSettingChanged, readSetting, writeSetting } from '../settings.ts';

/** A directory outside of the project, so it isn't in the file tree and not in a zip. */
export const homeDirectory = '/user';

const directory = `${homeDirectory}/.claude`;
const path = `${directory}/CLAUDE.md`;

export function readInstructions(): string {
  const stored = readSetting('instructions');
  return typeof stored === 'string' ? stored : '';
}

/** Stores the instructions. Open conversations get them with their next prompt. */
export async function saveInstructions(host: BrowserHost, text: string): Promise<void> {
  if (!writeSetting('instructions', text.trim() === '' ? undefined : text)) {
    throw new Error('This browser keeps nothing for this page: its storage is blocked or full.');
  }
  await placeInstructions(host, text);
}

/**
 * Follows changes by other tabs. Dispose it with the host. If the instructions can't be written, the next
 * conversation reports why.
 */
export function followInstructions(host: BrowserHost): Disposable {
  return onSettingChanged(
    'instructions',
    () => void placeInstructions(host).catch(() => undefined),
  );
}

/**
 * Writes the stored instructions to this project's workspace, because they may have been saved in another project or
 * tab.
 */
export async function placeInstructions(
  { workspace: { fs } }: BrowserHost,
  text = readInstructions(),
): Promise<void> {
  if (text.trim() === '') return fs.rm(path, { force: true });
  if ((await readPlaced(fs)) === text) return;
  await fs.mkdir(directory, { recursive: true });
  await fs.writeFile(path, text);
}

async function readPlaced(fs: BrowserHost['workspace']['fs']): Promise<string | undefined> {
  try {
    return await fs.readFile(path, 'utf8');
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
