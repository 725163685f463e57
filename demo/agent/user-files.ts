// What the person has for all projects: their instructions. They are kept in this browser, and written into the home
// directory of each project's workspace, where its conversations read them.
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { onSettingChanged, readSetting, writeSetting } from '../settings.ts';

/** Outside of the project: neither the file tree nor a zip has it. */
export const homeDirectory = '/user';

const directory = `${homeDirectory}/.claude`;
const path = `${directory}/CLAUDE.md`;

export function readInstructions(): string {
  const stored = readSetting('instructions');
  return typeof stored === 'string' ? stored : '';
}

/** Open conversations are told with their next prompt. */
export async function saveInstructions(host: BrowserHost, text: string): Promise<void> {
  if (!writeSetting('instructions', text.trim() === '' ? undefined : text)) {
    throw new Error('This browser keeps nothing for this page: its storage is blocked or full.');
  }
  await placeInstructions(host, text);
}

/** Follows what another tab saves. Dispose it with the host. Where they can't be written the next conversation says why. */
export function followInstructions(host: BrowserHost): Disposable {
  return onSettingChanged(
    'instructions',
    () => void placeInstructions(host).catch(() => undefined),
  );
}

/** What was saved in another project, or another tab, isn't in this one's workspace yet. */
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
