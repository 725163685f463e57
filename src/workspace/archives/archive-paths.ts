// Security: the names in an archive are whatever its maker wrote. Each is checked before anything of it is used.
import { SdkError } from '../../core/errors.ts';
import { dirname, isInside, joinPath, normalizePath } from '../../core/path.ts';

const maxNameBytes = 255;
const maxPathBytes = 3000;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f]/u;

type Kind = 'file' | 'directory' | 'symlink' | 'hardlink';

/** The names of one archive, as they come. */
export class ArchivePaths {
  readonly #kinds = new Map<string, Kind>();
  /** The paths by their spelling on a disk that doesn't tell A from a. */
  readonly #folded = new Map<string, string>();

  /**
   * The path, normal and relative; undefined for the archive's own top.
   *
   * @throws SdkError `invalid-input` that names it and says what is wrong.
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
      // Security: by a link that came before, what follows would land elsewhere.
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

/** The place where an archive's path lands. */
export function toPlace(directory: string, path: string): string {
  const place = joinPath(directory, path);
  if (isInside(directory, place) && place !== directory && normalizePath(place) === place)
    return place;
  return refusePath(path, 'it leads out of its directory');
}

/** The directories between the two, the topmost first; `directory` itself isn't one. */
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
