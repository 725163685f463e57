// The port to the host's remote runtime, in which other sessions run. Declared here so that the tool, the options and
// the context of a call share one type.

/** The actions of RemoteTrigger, with the Claude Agent SDK's names. A trigger starts sessions; a run is one start. */
export const remoteTriggerActions = [
  ...(['list', 'get', 'create', 'update', 'run'] as const),
  ...(['create_webhook_trigger', 'list_runs', 'get_run_log'] as const),
] as const;

/** One of {@link remoteTriggerActions}. */
export type RemoteTriggerAction = (typeof remoteTriggerActions)[number];

/** One checked request: it has the ids and the body that its action needs. */
export interface RemoteTriggerRequest {
  readonly action: RemoteTriggerAction;
  readonly trigger_id?: string;
  /** The id of the session whose log is requested. */
  readonly session_id?: string;
  /** Where a list continues: the cursor of the page before. */
  readonly cursor?: string;
  /** A body in the runtime's format. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The runtime's answer. */
export interface RemoteTriggerAnswer {
  /** A status as in HTTP. From 400 on the model gets the answer as an error. */
  readonly status: number;
  /** Plain JSON data. */
  readonly data?: unknown;
  /** One line for people: what was started, and where to see it. */
  readonly summary?: string;
}

/**
 * Sends a request to the remote runtime. If it rejects, the model is told the reason. `signal` is aborted when the
 * call is cut; what was started by then isn't undone.
 */
export type OnRemoteTrigger = (
  request: RemoteTriggerRequest,
  options: { readonly signal: AbortSignal },
) => RemoteTriggerAnswer | Promise<RemoteTriggerAnswer>;
