// What the person has for all projects: their instructions. They are kept in this browser, and written into the home
// directory of each project's workspace, where its conversations read them.
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';

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
  writeSetting('instructions', text.trim() === '' ? undefined : text);
  await placeInstructions(host, text);
}

/** Another tab may have changed them while this project was closed. */
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
