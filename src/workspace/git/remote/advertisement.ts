// Parses the refs that a git server lists before a fetch or push. They are validated before
// isomorphic-git gets them, because their number and names are untrusted.
import { SdkError } from '../../../core/errors.ts';
import { isOid } from '../objects/oid.ts';
import { checkRefName } from '../ref-names.ts';
import { PktLineReader } from './pkt-line.ts';

/** 16 MB, about 250 000 refs: isomorphic-git keeps each in memory several times. */
export const maxAdvertisementBytes = 16_777_216;

/** The names and ids of a server's refs, in its order. */
export type AdvertisedRefs = ReadonlyMap<string, string>;

export interface Advertisement {
  readonly refs: AdvertisedRefs;
  /** The full name of HEAD's branch, if the server tells it. */
  readonly head: string | undefined;
}

/**
 * @throws SdkError `EIO` if it isn't a complete list of refs. `invalid-input` for a name that would
 * leave its directory or can't be displayed.
 */
export async function readAdvertisement(bytes: Uint8Array): Promise<Advertisement> {
  const reader = new PktLineReader(once(bytes));
  const refs = new Map<string, string>();
  let head: string | undefined;
  let isEnded = false;
  for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
    isEnded = line === null;
    if (line === null) continue;
    const text = new TextDecoder().decode(line).replace(/\n$/u, '');
    if (text.startsWith('# service=')) continue;
    if (text.startsWith('ERR '))
      throw new SdkError('EIO', `The server says: ${text.slice(4, 500)}`);
    const [ref = '', abilities] = text.split('\0');
    head ??= / symref=HEAD:(\S+)/u.exec(abilities ?? '')?.[1];
    const [oid = '', name = ''] = ref.split(/ (.*)/su);
    if (!isOid(oid)) {
      throw new SdkError('EIO', 'EIO: the server lists something that is no branch or tag.');
    }
    // Not refs: the placeholder with which an empty repository lists capabilities, and borrowed
    // objects.
    if (name === 'capabilities^{}' || name === '.have') continue;
    if (name !== 'HEAD') checkAdvertisedName(name);
    refs.set(name, oid);
  }
  if (!isEnded) throw new SdkError('EIO', "EIO: the server's list of refs is cut off. Try again.");
  return { refs, head };
}

/** Security: the name becomes a path here. */
function checkAdvertisedName(name: string): void {
  const plain = name.replace(/\^\{\}$/u, '');
  try {
    checkRefName(plain, 'ref');
    if (!plain.startsWith('refs/')) throw new TypeError('no ref');
    // A `.git` directory, in any spelling that a case-insensitive disk takes for it.
    if (plain.toLowerCase().split('/').includes('.git')) throw new TypeError('in a .git');
  } catch (cause) {
    throw new SdkError(
      'invalid-input',
      `The server lists a ref with the name ${JSON.stringify(name.slice(0, 200))}, which git doesn't ` +
        'allow. Nothing was fetched; somebody has to remove it there.',
      { cause },
    );
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
