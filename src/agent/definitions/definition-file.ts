// The file of a definition in the workspace, such as a skill or an agent: its real path, and
// whether it may be read.
import { SdkError } from '../../core/errors.ts';
import { isInside } from '../../core/path.ts';
import type { DefinitionPlace } from '../session/settings/workspace-trust.ts';

/** The place of definitions, and the read permission. */
export interface DefinitionFiles extends DefinitionPlace {
  /** Security: definitions that no call may read aren't sent to the model either. */
  readonly mayRead: (path: string) => boolean;
}

/** The present file. */
export interface DefinitionFile {
  readonly path: string;
  /** The real path, with links followed. */
  readonly real: string;
  readonly version: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Undefined: there is no readable file.
 *
 * @throws SdkError `invalid-input` for a link that leads outside the working directory
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

/** The text of the file. @throws SdkError `invalid-input` if it is longer than `maxBytes` */
export async function readDefinitionText(
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

/**
 * True if the error says that the file is missing or can't be a definition, such as a file in place
 * of a folder.
 */
export function isAbsence(error: unknown): boolean {
  return SdkError.isInstance(error) && /^(?:ENOENT|ENOTDIR|EACCES|ELOOP)$/u.test(error.code);
}
