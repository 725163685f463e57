// Tickets: who was authorized by a request of its own connects with one, since a WebSocket can't bear a header. Each
// is good once, for 30 seconds. Kept as a hash, so that who reads the store can't connect.
import { toHex } from '../core/bytes/hex.ts';
import { SdkError } from '../core/errors.ts';
import { toSha256 } from '../core/hashes/to-sha256.ts';
import type { WireGrant, WireRole } from './protocol.ts';

/** A ticket as it is kept. */
export interface KeptTicket {
  /** The SHA-256 of the ticket, in hex. */
  readonly hash: string;
  readonly owner: string;
  readonly role: WireRole;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Where tickets wait. It outlives the process wherever that may end between a ticket and its connection. */
export interface TicketStore {
  /** Keeps it. Those that have expired before `forgetBefore` may be dropped. */
  add(ticket: KeptTicket, forgetBefore: number): void | Promise<void>;
  /** As one act: gives it, says whether it was taken before, and keeps that it is taken now. Undefined: unknown. */
  take(hash: string): TakenTicket | undefined | Promise<TakenTicket | undefined>;
}

export type TakenTicket = KeptTicket & { readonly wasTaken: boolean };

/** 30 s: enough for a slow network, and too short for whoever finds one in a log. */
const ticketMs = 30_000;

// 10 min: as long it is told of a ticket that it is late, or was used.
const rememberMs = 600_000;

const roles: readonly unknown[] = ['owner', 'answers', 'views'] satisfies WireRole[];

/** A new ticket for the holder of that grant. @throws SdkError `bad-usage` for what isn't a grant. */
export async function issueTicket(
  store: TicketStore,
  grant: WireGrant,
  now: number,
): Promise<string> {
  const { owner, role } = grant;
  if (typeof owner !== 'string' || owner.length > 256 || !roles.includes(role)) {
    throw new SdkError(
      'bad-usage',
      `authorize gives { owner, role }: an owner of at most 256 characters, and the role owner, answers or views, not ${JSON.stringify(grant)}.`,
    );
  }
  const ticket = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const kept = { hash: await toSha256(ticket), owner, role, expires: now + ticketMs };
  await store.add(kept, now - rememberMs);
  return ticket;
}

/** Whom it lets in. It is used up by this. @throws SdkError `permission-denied`: forged, late or used before. */
export async function redeemTicket(
  store: TicketStore,
  ticket: string,
  now: number,
): Promise<WireGrant> {
  const taken = await store.take(await toSha256(ticket));
  if (!taken) throw denied("This ticket isn't one of this session's. Ask its server for one.");
  if (taken.wasTaken) {
    throw denied(
      'This ticket was used before: each is good for one connection. Ask for another one.',
    );
  }
  if (taken.expires < now) {
    throw denied(
      `This ticket is late: it was good for ${ticketMs / 1000} seconds. Ask for another one.`,
      // Whoever gets a ticket for each connection comes again: a computer may have slept with this one in hand.
      { passes: true },
    );
  }
  return { owner: taken.owner, role: taken.role };
}

/** For a host that is one process. Tickets go with it. */
export function createMemoryTickets(): TicketStore {
  const kept = new Map<string, TakenTicket>();
  return {
    add(ticket, forgetBefore) {
      for (const [hash, { expires }] of kept) if (expires < forgetBefore) kept.delete(hash);
      kept.set(ticket.hash, { ...ticket, wasTaken: false });
    },
    take(hash) {
      const ticket = kept.get(hash);
      if (ticket) kept.set(hash, { ...ticket, wasTaken: true });
      return ticket;
    },
  };
}

function denied(sentence: string, data: Readonly<Record<string, unknown>> = {}): SdkError {
  return new SdkError('permission-denied', sentence, { data });
}
