// Sessions on a server of the runtime that this is, with the model of wire-model.ts. A client's role is what its header
// says: tests only.
import { createSessionServer } from '../../../src/server.ts';
import type { SessionServer, SessionServerOptions } from '../../../src/server.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { createWireModel } from './wire-model.ts';

export interface ServedSessions {
  readonly server: SessionServer;
  /** Errors that no caller has received. */
  readonly errors: unknown[];
  /** Lets all slow replies go on. */
  release(): void;
}

export async function serveSessions(
  options: Pick<SessionServerOptions, 'folder' | 'wasm'> & Partial<SessionServerOptions>,
): Promise<ServedSessions> {
  const errors: unknown[] = [];
  const model = createWireModel();
  const server = await createSessionServer({
    session: () => ({ model, options: { includePartialMessages: true } }),
    authorize({ headers }) {
      const role = headers.get('authorization')?.slice('Bearer '.length) as WireRole | undefined;
      return role ? { owner: 'ann', role } : undefined;
    },
    onError: (error) => void errors.push(error),
    ...options,
  });
  return { server, errors, release: () => model.release() };
}
