// Which names branches, tags and other refs may have: git's rules (git-check-ref-format).
import { SdkError } from '../../core/errors.ts';

/**
 * Refuses an invalid ref name, such as one with `..` that would leave its directory. `kind` is for
 * the error message. @throws SdkError `invalid-input`
 */
export function checkRefName(name: string, kind: 'branch' | 'tag' | 'ref'): void {
  const isWrong =
    name === '' ||
    name === '@' ||
    name === 'HEAD' ||
    name.startsWith('-') ||
    name.endsWith('.') ||
    name.includes('..') ||
    name.includes('@{') ||
    // eslint-disable-next-line no-control-regex -- those are what is refused
    /[\u0000-\u0020\u007f~^:?*[\\]/u.test(name) ||
    name.split('/').some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'));
  if (!isWrong) return;
  throw new SdkError(
    'invalid-input',
    `${JSON.stringify(name)} can't be the name of a ${kind}: no blanks, control characters, "..", "~", "^", ":", "?", "*", "[" or "\\", and no part that begins with a dot or ends in ".lock".`,
    { data: { name } },
  );
}
