// The errors with which a session's server closes connections and refuses requests. Used by
// serve-session.ts and handle-requests.ts.
import { SdkError } from '../core/errors.ts';
import { wireProtocol } from './protocol.ts';
import type { WireRequest } from './protocol.ts';

export function tooMuch(what: string, data: Readonly<Record<string, unknown>>): SdkError {
  return new SdkError(
    'limit-exceeded',
    `This connection was closed: it has sent ${what}. Connect again, and send less.`,
    {
      data,
    },
  );
}

/** The error for a client that speaks another version of the protocol. */
export function otherVersion(protocol: string): SdkError {
  return new SdkError(
    'unsupported-environment',
    `This client speaks ${protocol.slice(0, 40)} and the session ${wireProtocol}: load the page anew, or use the same version of rockpool on both sides.`,
    { data: { client: protocol.slice(0, 40), server: wireProtocol } },
  );
}

export function notAllowed(role: string, method: string): SdkError {
  return new SdkError(
    'permission-denied',
    `Whoever is connected as "${role}" may not ask for ${method}. Connect with a ticket that may.`,
    { data: { role, method } },
  );
}

export function notAsked({ method, parameters }: WireRequest): SdkError {
  const given = JSON.stringify(parameters).slice(0, 100);
  return new SdkError(
    'bad-usage',
    `A session elsewhere isn't asked for ${method.slice(0, 40)} with ${given}: there is no such request.`,
  );
}

export function unanswered(method: string): SdkError {
  return new SdkError(
    'worker-lost',
    `The connection was lost before ${method} was answered: it may have been done or not. Look, and ask again where it wasn't.`,
    { data: { method } },
  );
}

export function unsayable(cause: unknown): SdkError {
  return new SdkError(
    'internal',
    'What was asked for was done, and its answer is nothing that can cross a connection.',
    { cause },
  );
}
