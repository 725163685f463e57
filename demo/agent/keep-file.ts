// Stores a file that a person adds to a prompt in the project, where the agent reads it by its path.
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';

// 100 MB: the page holds all of its bytes while it is written.
const maxBytes = 100 * 1024 * 1024;

/** Writes the file under its name, or under a numbered name if that is taken. Returns the path below the project. */
export async function keepFile(
  { workspace: { fs }, cwd }: BrowserHost,
  file: File,
): Promise<string> {
  if (file.size > maxBytes) {
    throw new Error(`${file.name} has more than 100 MB. Give a part of it, or open its folder.`);
  }
  const bytes = await readBytes(file);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? file.name : numbered(file.name, count);
    try {
      await fs.writeFile(`${cwd}/${name}`, bytes, { flag: 'wx' });
      return name;
    } catch (error) {
      if (!SdkError.isInstance(error) || error.code !== 'EEXIST') throw error;
    }
  }
}

async function readBytes(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (cause) {
    // A dropped folder can't be read either.
    const message = `${file.name} can’t be read. A folder is opened from the project’s menu.`;
    throw new Error(message, { cause });
  }
}

/** `notes.md` becomes `notes-2.md`. */
function numbered(name: string, count: number): string {
  const at = name.lastIndexOf('.');
  return at > 0 ? `${name.slice(0, at)}-${count}${name.slice(at)}` : `${name}-${count}`;
}
