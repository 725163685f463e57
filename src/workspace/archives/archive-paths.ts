// Security: the names in an archive are untrusted. Each is checked before it is used.
import { SdkError } from '../../core/errors.ts';
import { dirname, isInside, joinPath, normalizePath } from '../../core/path.ts';

const maxNameBytes = 255;
const maxPathBytes = 3000;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f]/u;

type Kind = 'file' | 'directory' | 'symlink' | 'hardlink';

/** Checks the names of one archive, in the order of its entries. */
export class ArchivePaths {
  readonly #kinds = new Map<string, Kind>();
  /** Paths by their case-folded form. On a case-insensitive disk, equal forms are one file. */
  readonly #folded = new Map<string, string>();

  /**
   * Returns the normalized, relative path, or undefined for the archive's root.
   *
   * @throws SdkError `invalid-input` that names the path and says what is wrong.
   */
  add(path: string, kind: Kind): string | undefined {
    const refuse = (reason: string) => refusePath(path, reason);
    if (controls.test(path)) refuse('it has control characters');
    if (/\p{Surrogate}/u.test(path) || path.includes('\uFFFD')) refuse('it is no valid Unicode');
    if (path.startsWith('/')) refuse('it is absolute');
    if (/^[a-z]:/iu.test(path)) refuse('it begins with a drive letter');
    if (path.includes('\\')) refuse('it has a backslash');
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    if (names.includes('..')) refuse('it leads out of its directory by ..');
    if (names.length === 0) return undefined;
    if (names.some((name) => byteLength(name) > maxNameBytes)) refuse('a name in it is too long');
    const normal = names.join('/');
    if (byteLength(normal) > maxPathBytes) refuse('it is too long');
    names.forEach((_, depth) => {
      if (depth === 0) return;
      const above = names.slice(0, depth).join('/');
      const known = this.#kinds.get(above);
      // Security: files below an earlier link would be written to the link's target.
      if (known !== undefined && known !== 'directory') refuse(`${above} is no directory in it`);
      this.#enter(above, 'directory', refuse);
    });
    if (kind !== 'directory' && this.#kinds.has(normal)) refuse('it is there twice');
    this.#enter(normal, kind, refuse);
    return normal;
  }

  /** @throws SdkError `invalid-input` for a link that leads out of the archive, or may by another link. */
  checkLink(path: string, target: string): void {
    const refuse = (reason: string) => refusePath(path, reason);
    if (target === '' || controls.test(target)) refuse('it is a link without a valid target');
    if (target.startsWith('/') || /^[a-z]:/iu.test(target) || target.includes('\\')) {
      refuse(`it is a link to ${target}, which is absolute`);
    }
    const names = target.split('/').filter((name) => name !== '' && name !== '.');
    const ups = names.findIndex((name) => name !== '..');
    // Security: a name may be another link, and above what it leads to may be out of the archive.
    if (ups >= 0 && names.includes('..', ups)) {
      refuse(`it is a link to ${target}, which goes up behind a name`);
    }
    const above = ups < 0 ? names.length : ups;
    if (above >= path.split('/').length) {
      refuse(`it is a link to ${target}, which leads out of the archive`);
    }
  }

  #enter(path: string, kind: Kind, refuse: (reason: string) => void): void {
    if (this.#kinds.has(path)) {
      if (this.#kinds.get(path) !== kind) refuse('it is there twice');
      return;
    }
    const folded = path.normalize('NFC').toLowerCase();
    const other = this.#folded.get(folded);
    if (other !== undefined) refuse(`${other} differs from it by the case of letters only`);
    this.#kinds.set(path, kind);
    this.#folded.set(folded, path);
  }
}

/** Returns the workspace path for an archive's path. */
export function toPlace(directory: string, path: string): string {
  const place = joinPath(directory, path);
  if (isInside(directory, place) && place !== directory && normalizePath(place) === place)
    return place;
  return refusePath(path, 'it leads out of its directory');
}

/** Returns the directories between `directory` (excluded) and `place`, the topmost first. */
export function listAbove(directory: string, place: string): string[] {
  const above: string[] = [];
  for (let at = dirname(place); at !== directory && at !== '/'; at = dirname(at)) above.unshift(at);
  return above;
}

function refusePath(path: string, reason: string): never {
  const message = `The archive has ${JSON.stringify(path)}, which isn't unpacked: ${reason}. Nothing was unpacked.`;
  throw new SdkError('invalid-input', message, { data: { path } });
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
