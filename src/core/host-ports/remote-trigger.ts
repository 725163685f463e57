// The port to the host's remote runtime, where sessions run that aren't this one. Said here so that the tool, the options
// and the context of a call name one type.

/** What RemoteTrigger may ask, by the Claude Agent SDK's names. A trigger is what starts sessions; a run is one start. */
export const remoteTriggerActions = [
  ...(['list', 'get', 'create', 'update', 'run'] as const),
  ...(['create_webhook_trigger', 'list_runs', 'get_run_log'] as const),
] as const;

/** One of {@link remoteTriggerActions}. */
export type RemoteTriggerAction = (typeof remoteTriggerActions)[number];

/** One request, checked: an action has the ids and the body that it needs. */
export interface RemoteTriggerRequest {
  readonly action: RemoteTriggerAction;
  readonly trigger_id?: string;
  /** The id of the session whose log is requested. */
  readonly session_id?: string;
  /** Where a list goes on, as the page before it has said. */
  readonly cursor?: string;
  /** A body in the runtime's own form. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What the runtime answers. */
export interface RemoteTriggerAnswer {
  /** The status as in HTTP: from 400 on the model gets it as an error. */
  readonly status: number;
  /** Plain data, as JSON has it. */
  readonly data?: unknown;
  /** In a line, for people: what was started, and where it can be looked at. */
  readonly summary?: string;
}

/**
 * Asks the remote runtime. What it rejects with is the reason that the model is told. `signal` is aborted when the call is
 * cut; what was begun by then stays begun.
 */
export type OnRemoteTrigger = (
  request: RemoteTriggerRequest,
  options: { readonly signal: AbortSignal },
) => RemoteTriggerAnswer | Promise<RemoteTriggerAnswer>;
