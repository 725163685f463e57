// rockpool/edge: the agent inside an edge isolate.
export { createEdgeHost } from './hosts/edge/create-edge-host.ts';
export type { EdgeHostOptions } from './hosts/edge/create-edge-host.ts';
