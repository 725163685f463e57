// Host functions as they are written by someone who trusts the guest: what the real ones check of
// their arguments, these take as it comes. Each has the mistake that one attack is made for.
import type { GuestValue, HostFunction } from '../../../../src/repl/vm/engine.ts';
import { lastContext } from './weak-repl.ts';

// The port's type is a promise that nothing keeps here.
type Unchecked = (...args: never[]) => unknown;

const files = () => {
  if (!lastContext) throw new Error('No cell has run.');
  return lastContext.fs.sync;
};

const cache = new Map<string, Uint8Array>();

const functions: Record<string, Unchecked> = {
  /** Judges the path as it is written, and makes a text of it twice. */
  readText(path: { toString(): string }) {
    if (String(path).startsWith('/workspace/secret')) throw new Error('EACCES');
    return files().readFileSync(String(path), 'utf8');
  },
  /** Gives out what it keeps. */
  readBytes(path: string) {
    const bytes = cache.get(path) ?? files().readFileSync(path);
    cache.set(path, bytes);
    return bytes;
  },
  /** Contents stand one behind the other, as in a pack. */
  readPart(path: string, position: number, length: number) {
    const before = files().readFileSync('/workspace/secret/key.txt');
    const own = files().readFileSync(path);
    const pack = new Uint8Array([...before, ...own]);
    const start = Math.max(0, before.length + position);
    return pack.slice(start, start + length);
  },
  /** Puts a path behind the working directory, if there is one. */
  rm: (path: string | undefined, recursive: boolean, force: boolean) =>
    files().rmSync(`/workspace/${path ?? ''}`, { recursive, force }),
  /** As many as are asked for. */
  randomBytes(length: number) {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 65_536)
      crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  },
  /** `a[b]=c` becomes an object in an object. */
  parseQuery(text: string) {
    const query: Record<string, Record<string, string>> = {};
    for (const [name, value] of new URLSearchParams(text)) {
      const [, outer = name, inner = ''] = /^(\w+)\[(\w+)\]$/u.exec(name) ?? [];
      query[outer] ??= {};
      query[outer][inner] = value;
    }
    return JSON.stringify([...new URLSearchParams(text)]);
  },
  /** Finds what is called by the dots in its name. */
  startTool(name: string, input: string) {
    let found: unknown = { Read: () => undefined };
    for (const part of name.split('.')) found = (found as Record<string, unknown>)[part];
    const result = (found as (input: unknown) => unknown)(JSON.parse(input));
    if (typeof result === 'function') result();
    return 0;
  },
  /** Hands the platform what the guest wrote. */
  startFetch(head: string) {
    const request = JSON.parse(head) as Record<string, string> & RequestInit;
    void fetch(request[0] ?? '', { credentials: request.credentials ?? 'omit' });
    return 0;
  },
};

export const uncheckedFunctions = functions as unknown as Readonly<
  Record<string, HostFunction & ((...args: readonly GuestValue[]) => GuestValue)>
>;
