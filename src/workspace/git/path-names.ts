// Decides which paths of a commit may become files. A repository is untrusted: its trees can
// contain names that lead out of the work tree, or that some file system takes for `.git`.
import { SdkError } from '../../core/errors.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { byteLengthExceeds, maxNameBytes } from '../files/file-limits.ts';

// Characters that HFS+ ignores when it compares names: joiners, direction marks and the byte order
// mark.
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

// 1 000: a path that a person could still read.
const maxShownChars = 1_000;

/**
 * Refuses a path that must not be written: by git's own rules (verify_path), by NTFS's and HFS+'s
 * spellings of `.git` on every system, and for control characters, which git accepts.
 *
 * @throws SdkError `permission-denied`, with `data.path`
 */
export function checkTreePath(path: string): void {
  const why = path
    .split('/')
    .map(whyNot)
    .find((reason) => reason !== undefined);
  if (why === undefined) return;
  const shown = clipText(path, maxShownChars);
  throw new SdkError(
    'permission-denied',
    `The repository holds a file named ${JSON.stringify(shown)}, which is not written: ${why}. Nothing was changed.`,
    { data: { path: shown } },
  );
}

function whyNot(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'that would leave its directory';
  // Security: checked before any code that scans the name.
  if (byteLengthExceeds(name, maxNameBytes)) return `a name has at most ${maxNameBytes} bytes`;
  if (name.includes('\\')) return 'a backslash is a separator on Windows';
  // eslint-disable-next-line no-control-regex -- those are what is refused
  if (/[\u0000-\u001f\u007f]/u.test(name)) return 'it has control characters';
  if (name.includes('\ufffd')) return "it isn't valid UTF-8";
  if (meansGit(name)) return "some file systems take it for git's own directory";
  return undefined;
}

/** True if a file system takes the name for `.git`. */
function meansGit(name: string): boolean {
  const plain = name.replaceAll(ignoredByHfs, '').toLowerCase();
  if (plain === '.git') return true;
  // NTFS ignores trailing dots and blanks, a colon begins a stream, and `git~1` is the short name.
  const [beforeStream = ''] = plain.split(':');
  const trimmed = beforeStream.replace(/[. ]+$/u, '');
  return trimmed === '.git' || trimmed === 'git~1';
}

/**
 * Refuses paths that differ only by case or by Unicode composition, because on some disks one would
 * overwrite the other. `known` are existing paths that stay.
 *
 * @throws SdkError `permission-denied`, with `data.paths`
 */
export function checkSpellings(paths: Iterable<string>): void {
  const seen = new Map<string, string>();
  const remember = (path: string): void => {
    const folded = path.normalize('NFC').toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined && other !== path) {
      throw new SdkError(
        'permission-denied',
        `The repository holds both ${JSON.stringify(other)} and ${JSON.stringify(path)}, which many file systems take for one name. They aren't checked out; rename one of them on another machine.`,
        { data: { paths: [other, path] } },
      );
    }
    seen.set(folded, path);
  };
  const directories = new Set<string>();
  for (const path of paths) {
    remember(path);
    for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
      const directory = path.slice(0, at);
      if (directories.has(directory)) break;
      directories.add(directory);
      remember(directory);
    }
  }
}
