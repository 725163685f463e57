// The files of a previewed app: resolves references and reads files.
import { SdkError } from '../../../core/errors.ts';
import { encodeBase64 } from '../../../core/bytes/base64.ts';
import { dirname, extname, joinPath, normalizePath, resolvePath } from '../../../core/path.ts';
import type { PreviewFiles } from '../../../core/host-ports/preview.ts';
import { isSessionPath } from '../../../core/session/session-path.ts';

export interface AppFiles {
  /** The directory that a leading slash refers to. */
  readonly root: string;
  /** Resolves to the file that a reference in `from` means, or undefined. */
  find(reference: string, from: string): Promise<string | undefined>;
  /** As `find`, for `@import` in a sheet: also those of packages and of aliases. */
  findSheet(reference: string, from: string): Promise<string | undefined>;
  /** `none` if it doesn't exist, or if whoever opened the page may not read it. */
  kindOf(path: string): Promise<'file' | 'directory' | 'none'>;
  /** The names of what is in a directory. Empty if there is none, or if the host lists nothing. */
  list(path: string): Promise<readonly string[]>;
  /** @throws SdkError as {@link PreviewFiles}; `limit-exceeded` for a file that is too large */
  read(path: string): Promise<Uint8Array>;
  readText(path: string): Promise<string>;
  /** For images, fonts and other files that a document can contain. */
  toDataUrl(path: string): Promise<string>;
}

// 16 MB: a larger file isn't practical in a preview.
const maxBytes = 16 * 1024 * 1024;

export function createAppFiles(files: PreviewFiles, root: string): AppFiles {
  async function kindOf(path: string): Promise<'file' | 'directory' | 'none'> {
    // Session files aren't part of an app, even if a call may read its own.
    if (isSessionPath(normalizePath(path))) return 'none';
    const stats = await orNothing(() => files.stat(path));
    return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'directory' : 'none';
  }

  async function read(path: string): Promise<Uint8Array> {
    const { size } = await files.stat(path);
    if (size <= maxBytes) return files.readFile(path);
    throw new SdkError(
      'limit-exceeded',
      `${path} has ${size} bytes. A preview loads files of at most ${maxBytes}.`,
      { data: { path, size, maxBytes } },
    );
  }

  const appFiles: AppFiles = {
    root,
    kindOf,
    read,
    async findSheet(reference, from) {
      const found = await appFiles.find(reference, from);
      if (found !== undefined || /^[./]/u.test(reference) || isRemote(reference)) return found;
      const { findPackageSheet } = await import('./find-package-sheet.ts');
      return findPackageSheet(appFiles, reference, from);
    },
    list: async (path) => (await orNothing(async () => files.readdir?.(path))) ?? [],
    async find(reference, from) {
      const address = toPath(reference);
      if (address === undefined) return undefined;
      const isOfRoot = address.startsWith('/') && !reference.startsWith('file:');
      const candidates = isOfRoot
        ? // As bundlers do, files in `public` are served beside the page.
          [joinPath(root, address), joinPath(root, 'public', address)]
        : [resolvePath(dirname(from), address)];
      for (const candidate of candidates) {
        if ((await kindOf(candidate)) === 'file') return candidate;
      }
      return undefined;
    },
    readText: async (path) => new TextDecoder().decode(await read(path)),
    toDataUrl: async (path) => `data:${mediaTypeOf(path)};base64,${encodeBase64(await read(path))}`,
  };
  return appFiles;
}

/** True if the reference isn't a file of the workspace. */
export function isRemote(reference: string): boolean {
  return /^(?!file:)[a-z][a-z+.-]*:|^\/\/|^#/iu.test(reference.trim());
}

function toPath(reference: string): string | undefined {
  if (isRemote(reference)) return undefined;
  const [path = ''] = reference
    .trim()
    .replace(/^file:\/\//iu, '')
    .split(/[?#]/u);
  try {
    return path === '' ? undefined : decodeURIComponent(path);
  } catch {
    // A `%` without a valid escape is part of the name.
    return path;
  }
}

const absentCodes: ReadonlySet<string> = new Set([
  ...['EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR'],
]);

async function orNothing<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await look();
  } catch (error) {
    if (SdkError.isInstance(error) && absentCodes.has(error.code)) return undefined;
    throw error;
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mjs': 'text/javascript',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

export function mediaTypeOf(path: string): string {
  return mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
}
