// A definition of the workspace as a file: a skill, an agent. Where it really stands, and whether it may be read.
import { SdkError } from '../../core/errors.ts';
import { isInside } from '../../core/path.ts';
import type { DefinitionPlace } from '../session/settings/workspace-trust.ts';

/** Where definitions are looked for, and by whose leave. */
export interface DefinitionFiles extends DefinitionPlace {
  /** Security: what no call may read isn't told either. */
  readonly mayRead: (path: string) => boolean;
}

/** One as it stands now. */
export interface DefinitionFile {
  readonly path: string;
  /** Links followed. */
  readonly real: string;
  readonly version: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Undefined: nothing is there that may be read.
 *
 * @throws SdkError `invalid-input` for a link that leads out of the working directory.
 */
export async function lookAtDefinition(
  path: string,
  { fs, cwd, mayRead }: DefinitionFiles,
): Promise<DefinitionFile | undefined> {
  if (!mayRead(path)) return undefined;
  try {
    const real = await fs.realpath(path);
    if (!isInside(cwd, real)) {
      throw new SdkError(
        'invalid-input',
        `It is a link to ${real}, outside of ${cwd}. Put the file itself there.`,
      );
    }
    if (!mayRead(real)) return undefined;
    const stats = await fs.stat(real);
    if (!stats.isFile()) return undefined;
    return { path, real, version: stats.version, size: stats.size };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Its text. `maxBytes` are what was ever meant to be read. @throws SdkError `invalid-input` for what is longer. */
export async function readDefinition(
  fs: DefinitionPlace['fs'],
  { real, path, size }: DefinitionFile,
  maxBytes: number,
): Promise<string> {
  if (size > maxBytes) {
    throw new SdkError(
      'invalid-input',
      `It has ${size} bytes, and may have ${maxBytes}. Move the details to files beside it.`,
      { data: { path, size } },
    );
  }
  const text = await fs.readFile(real, 'utf8');
  if (text.includes('\0')) throw new SdkError('invalid-input', 'It is no text.');
  return text;
}

/** Of what isn't there, or can't be a definition: a file beside the folders, say. */
export function isAbsence(error: unknown): boolean {
  return SdkError.isInstance(error) && /^(?:ENOENT|ENOTDIR|EACCES|ELOOP)$/u.test(error.code);
}
