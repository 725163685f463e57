// rockpool/server: sessions in one process of Node, Deno or Bun, connected to by the wire.
export { createSessionServer } from './hosts/server/create-session-server.ts';
export type {
  ServedSessionOptions,
  SessionListenOptions,
  SessionServer,
  SessionServerOptions,
} from './hosts/server/create-session-server.ts';
export type { WireGrant, WireRole } from './wire/protocol.ts';
export type { WireLimits } from './wire/limits.ts';
export { openSqliteStorage } from './hosts/server/open-sqlite-storage.ts';
export type { SqliteStorage } from './hosts/server/open-sqlite-storage.ts';
