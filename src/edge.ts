// rockpool/edge: the agent in an edge isolate, sessions in Durable Objects, and isolates to which calls are sent.
export { createEdgeHost } from './hosts/edge/create-edge-host.ts';
export type { EdgeHost, EdgeHostOptions } from './hosts/edge/create-edge-host.ts';
export type { HostGit } from './hosts/host-git.ts';
export { createSessionObject } from './hosts/edge/object/create-session-object.ts';
export type { SessionObject } from './hosts/edge/object/create-session-object.ts';
export type {
  ObjectSessionOptions,
  SessionObjectOptions,
} from './hosts/edge/object/session-object-options.ts';
export type { ObjectSession } from './hosts/edge/object/sleeping-session.ts';
export { defineSessionObject } from './hosts/edge/object/define-session-object.ts';
export type {
  SessionObjectClass,
  SessionObjectHandlers,
} from './hosts/edge/object/define-session-object.ts';
export type { DurableContext, ObjectStorage } from './hosts/edge/object/durable-context.ts';
export type { SessionMoves } from './hosts/edge/object/asked-moves.ts';
export type { ObjectMoveOptions } from './hosts/edge/object/object-moves.ts';
export type { SessionWire } from './hosts/edge/object/session-wire.ts';
export type { MoveServer } from './wire/move-server.ts';
export type {
  ArchiveBucket,
  ArchivePart,
  ArchiveUpload,
} from './hosts/edge/object/archive-bucket.ts';
export type { SessionContentsOptions } from './hosts/edge/object/session-contents.ts';
export type { SessionArchiveOptions } from './hosts/edge/object/session-archive.ts';
export type { NamedAlarms } from './hosts/edge/object/named-alarms.ts';
export type { ContentsBucket, R2ContentsOptions } from './workspace/drivers/r2-contents.ts';
export type { ConnectionGate } from './core/async/connection-gate.ts';
export type { DurableStorage, SqlValue } from './workspace/drivers/do-sqlite.ts';
export type { FanOutOptions } from './hosts/edge/fan-out-executor.ts';
export type { CallIsolate } from './hosts/edge/isolate-wire.ts';
export { connectDirectory } from './hosts/edge/directory/connect-directory.ts';
export type { DirectoryStub } from './hosts/edge/directory/connect-directory.ts';
export { createSessionDirectory } from './hosts/edge/directory/create-session-directory.ts';
export type {
  DirectoryBudget,
  DirectoryObject,
  DirectoryQuotas,
  SessionDirectoryOptions,
  TurnPoint,
} from './hosts/edge/directory/create-session-directory.ts';
export type { BudgetPeriod } from './hosts/edge/directory/budget-period.ts';
export type {
  DirectoryAdmission,
  DirectoryEntry,
  DirectoryListOptions,
  DirectoryPort,
  DirectorySpending,
  SessionDirectory,
  TurnReport,
} from './hosts/edge/directory/session-directory.ts';
export { createModelProxy } from './hosts/edge/proxy/create-model-proxy.ts';
export type {
  ModelGateway,
  ModelProxyHandler,
  ModelProxyOptions,
} from './hosts/edge/proxy/create-model-proxy.ts';
export type { ModelPath } from './hosts/edge/proxy/judge-model-request.ts';
export type {
  ModelAccount,
  ModelReservation,
  ModelSettlement,
} from './hosts/edge/proxy/model-account.ts';
export type { GuardOptions, RateBinding } from './hosts/edge/proxy/request-guard.ts';
export { createGitProxy } from './hosts/edge/proxy/create-git-proxy.ts';
export type { GitProxyOptions } from './hosts/edge/proxy/create-git-proxy.ts';
export { createMcpProxy } from './hosts/edge/proxy/create-mcp-proxy.ts';
export type { McpProxyOptions } from './hosts/edge/proxy/create-mcp-proxy.ts';
export { createWebProxy } from './hosts/edge/proxy/create-web-proxy.ts';
export type { WebProxyOptions } from './hosts/edge/proxy/create-web-proxy.ts';
export type { ProxyHandler, ProxyOptions } from './hosts/edge/proxy/create-proxy.ts';
export { createObjectWire } from './hosts/edge/wire/create-object-wire.ts';
export type {
  ObjectSocket,
  ObjectWireOptions,
  SocketContext,
} from './hosts/edge/wire/create-object-wire.ts';
export type { WireGrant, WireRole } from './wire/protocol.ts';
export type { WireLimits } from './wire/limits.ts';
export { serveCalls } from './hosts/edge/serve-calls.ts';
export type { ServeCallsOptions } from './hosts/edge/serve-calls.ts';
export type {
  InputParser,
  WorkerTool,
  WorkerToolDef,
  WorkerToolEntry,
} from './hosts/run-handler.ts';
export { workers } from './tools/workers.ts';
