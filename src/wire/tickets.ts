// Tickets let a client that was authorized by an HTTP request open a WebSocket, which can't send
// headers. Each is valid once, for 30 seconds. Only its hash is stored, so reading the store
// doesn't allow connecting.
import { toHex } from '../core/bytes/hex.ts';
import { SdkError } from '../core/errors.ts';
import { toSha256 } from '../core/hashes/to-sha256.ts';
import type { WireGrant, WireRole } from './protocol.ts';

/** A ticket in the store. */
export interface KeptTicket {
  /** The ticket's SHA-256 in hex. */
  readonly hash: string;
  readonly owner: string;
  readonly role: WireRole;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/**
 * The store of tickets. It must survive a process that ends between issuing a ticket and its
 * connection.
 */
export interface TicketStore {
  /** Stores the ticket. Tickets that have expired before `forgetBefore` may be dropped. */
  add(ticket: KeptTicket, forgetBefore: number): void | Promise<void>;
  /**
   * Atomically returns the ticket, whether it was used before, and marks it as used. Undefined:
   * unknown.
   */
  take(hash: string): TakenTicket | undefined | Promise<TakenTicket | undefined>;
}

export type TakenTicket = KeptTicket & { readonly wasTaken: boolean };

/** 30 s: enough for a slow network, and too short for somebody who finds one in a log. */
const ticketMs = 30_000;

// 10 min: for so long, a late or used ticket is reported as such.
const rememberMs = 600_000;

const roles: readonly unknown[] = ['owner', 'answers', 'views'] satisfies WireRole[];

/**
 * Issues a ticket for that grant.
 *
 * @throws SdkError `bad-usage` if the grant is invalid
 */
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

/**
 * Returns the ticket's grant and marks the ticket as used.
 *
 * @throws SdkError `permission-denied` if it is forged, late or was used before
 */
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
      // A client that gets a ticket for each connection retries: the computer may have slept before
      // this one was used.
      { passes: true },
    );
  }
  return { owner: taken.owner, role: taken.role };
}

/** For a host in a single process. The tickets are lost with it. */
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
