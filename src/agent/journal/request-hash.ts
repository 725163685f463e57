// One hash over all that a request sends, and one for each of its parts. With these a replay names the first
// difference. Hashing costs only what the request adds to the one before. They aren't secure against forgery. The loop
// records them by `hashRequest` of the session, which create-session.ts makes; agent/replay compares them.
import { fingerprint } from '../../core/hashes/fingerprint.ts';
import type { RequestHead } from '../../core/session/journal.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { ModelRequest } from '../../model/model.ts';

/** What the journal is told of a request's content. */
export interface HashedRequest {
  /** 32 hexadecimal digits. */
  readonly hash: string;
  /** Left out: the same as of the request that was hashed before. */
  readonly head?: RequestHead;
}

export type RequestHash = (request: ModelRequest) => HashedRequest;

/**
 * A hash of its own for each session. The JSON of each message is hashed together with the hash of those before it.
 * The chain continues behind the messages that the request shares with the one before; these are recognised by
 * identity.
 */
export function createRequestHash(): RequestHash {
  const known: MessageParam[] = [];
  const chain: string[] = [];
  let last: { readonly json: string; readonly hash: string } | undefined;
  // Breakpoints follow from the rest. Neither they nor the effort and the budget are part of the conversation.
  return ({ messages, breakpoints: _, effort: __, taskBudget: ___, ...rest }) => {
    const end = Math.min(known.length, messages.length);
    let shared = 0;
    // Not by `===`: engines look at both objects for it, at each request at all of a conversation.
    while (shared < end && Object.is(known[shared], messages[shared])) shared += 1;
    known.length = shared;
    chain.length = shared;
    for (const message of messages.slice(shared)) {
      known.push(message);
      chain.push(fingerprint((chain.at(-1) ?? '') + JSON.stringify(message)));
    }
    const json = JSON.stringify(rest);
    // The same tools and prompt as before, mostly.
    const isSame = last?.json === json;
    if (!last || !isSame) last = { json, hash: fingerprint(json) };
    const whole = fingerprint(last.hash + (chain.at(-1) ?? ''));
    return isSame ? { hash: whole } : { hash: whole, head: hashHead(rest) };
  };
}

/** The system prompt's hash and those of the tools, by their names, in their order. */
export function hashHead({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): RequestHead {
  // 16 digits: they tell versions of one text apart, and stand in the journal for each tool.
  const short = (value: unknown) => fingerprint(JSON.stringify(value)).slice(0, 16);
  return { system: short(system), tools: tools.map((tool) => [tool.name, short(tool)] as const) };
}
