// Recognises the files that git creates in a new repository or work tree, by their content. Their
// settings run nothing, and their pointers lead only to protected settings. So a person isn't asked
// about them, though their paths are protected. Called by calls/authorize-changes.ts.
import type { Change } from '../../core/change-set.ts';
import { dirname, resolvePath } from '../../core/path.ts';
import { decodeUtf8 } from '../../core/bytes/decode-utf8.ts';

/**
 * True if the file is known to be harmless. Security: only new files are judged, and only by their
 * bytes.
 */
export function isNewRepositoryFile(change: Change): boolean {
  if (change.baseVersion !== 0) return false;
  if (change.type === 'mkdir') return newDirectory.test(change.path);
  if (change.type !== 'write' || !(change.content instanceof Uint8Array)) return false;
  const { path, content } = change;
  if (!mayBeNew.test(path) || content.length > maxBytes) return false;
  const text = decodeUtf8(content);
  if (text === undefined) return false;
  if (path.endsWith('/.git')) return leadsToWorktree(path, text);
  if (path.endsWith('/.git/config')) return isPlainConfig(text);
  if (path.endsWith('/.git/info/exclude')) return isComment(text);
  if (path.endsWith('/commondir')) return text === '../..\n';
  return /^[^\0\r\n]*\/\.git\n$/u.test(text);
}

const newDirectory =
  /\/\.git(?:\/(?:hooks|info|objects\/info|branches|modules|worktrees(?:\/[^/]+)?))?$/u;
const mayBeNew = /\/\.git(?:\/config|\/info\/exclude|\/worktrees\/[^/]+\/(?:commondir|gitdir))?$/u;
// 4096 bytes: a new config has 130 bytes, and a path may have 4096.
const maxBytes = 4096;

// Settings without a path or a program. Modes and links of files depend on the file system.
const plainSetting =
  /^\t(?:repositoryformatversion = 0|bare = false|(?:filemode|logallrefupdates|symlinks|ignorecase|precomposeunicode) = (?:true|false))$/u;

/** True if the text has only the section `core`, as `git init` writes it. */
function isPlainConfig(text: string): boolean {
  const [section, ...settings] = text.split('\n');
  return (
    section === '[core]' &&
    settings.pop() === '' &&
    settings.every((line) => plainSetting.test(line))
  );
}

function isComment(text: string): boolean {
  return text.split('\n').every((line) => line === '' || line.startsWith('#'));
}

/**
 * True if the text is the path of a work tree's folder in a `.git`. That repository's settings are
 * protected.
 */
function leadsToWorktree(path: string, text: string): boolean {
  const target = /^gitdir: ([^\0\r\n]+)\n$/u.exec(text)?.[1];
  if (target === undefined || target !== target.trim()) return false;
  // A path with `..` after a name may pass a link, and then lead somewhere else.
  if (/[^./][^/]*\/\.\.(?:\/|$)/u.test(target)) return false;
  return /\/\.git\/worktrees\/[^/]+$/u.test(resolvePath(dirname(path), target));
}
