// rockpool/cloudflare-agents: a session as a capability of Cloudflare's `agents` package, which is an optional peer.
export { createSessionCapability } from './hosts/edge/agents/create-session-capability.ts';
export type { SessionCapability } from './hosts/edge/agents/create-session-capability.ts';
