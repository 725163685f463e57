// One hash over all that a request sends. It names the first difference where a session is replayed, and
// costs no more than what the request adds to the one before. No proof against forgery. Used by loop.ts.
import { fingerprint } from '../../core/fingerprint.ts';
import type { MessageParam } from '../../core/messages.ts';
import type { ModelRequest } from '../../model/model.ts';

/** 32 hexadecimal digits. */
export type RequestHash = (request: ModelRequest) => string;

/**
 * A hash of its own for each session. The JSON of each message is hashed together with the hash of those
 * before; the chain is taken up behind the messages that the request shares with the one before, which
 * are known by their identity.
 */
export function createRequestHash(): RequestHash {
  const known: MessageParam[] = [];
  const chain: string[] = [];
  let head: { readonly json: string; readonly hash: string } | undefined;
  // Breakpoints follow from the rest, and aren't part of what the model reads.
  return ({ messages, breakpoints: _, ...rest }) => {
    let shared = 0;
    while (shared < messages.length && known[shared] === messages[shared]) shared += 1;
    known.length = shared;
    chain.length = shared;
    for (const message of messages.slice(shared)) {
      known.push(message);
      chain.push(fingerprint((chain.at(-1) ?? '') + JSON.stringify(message)));
    }
    const json = JSON.stringify(rest);
    // The same tools and prompt as before, mostly.
    if (head?.json !== json) head = { json, hash: fingerprint(json) };
    return fingerprint(head.hash + (chain.at(-1) ?? ''));
  };
}
