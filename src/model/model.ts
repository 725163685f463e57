// The port to a model: one request in, one message out as a stream of events. Adapters:
// anthropic.ts (any Messages-compatible server), scripted.ts (a script, for offline use and tests).
import type { TextBlock } from '../core/messages/blocks.ts';
import type { MessageParam, ModelEvent } from '../core/messages/messages.ts';
import type { SerializedError } from '../core/errors.ts';
import type { EffortLevel } from '../core/messages/effort.ts';
import type { ThinkingOption } from '../core/messages/thinking.ts';

/** A tool as the API gets it. */
export interface ToolParam {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** True if the model's input must match the schema exactly. */
  readonly strict?: true;
  /** The API hides the definition from the model until a `tool_reference` names the tool. */
  readonly defer_loading?: true;
}

/** A tool that the server runs, in the API's form. */
export interface ServerTool {
  readonly type: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The lifetime of a cached request, counted from its last use. */
export type CacheTtl = '5m' | '1h';

/** One block of one message; block 0 if the content is a string. */
export interface BlockPosition {
  readonly message: number;
  readonly block: number;
}

/** The cache breakpoints of a request, as indices into its parts. At most four in all. */
export interface Breakpoints {
  readonly ttl: CacheTtl;
  /** Never a tool with `defer_loading`, because the API refuses that. */
  readonly tool?: number;
  readonly system?: number;
  readonly messages: readonly BlockPosition[];
}

/** The token budget of a turn, including thinking and results of calls. The model plans with it. */
export interface TaskBudget {
  /** The tokens of the whole turn. */
  readonly total: number;
  /**
   * The remaining tokens. Left out: the server counts the conversation, which has the whole turn.
   */
  readonly remaining?: number;
}

/** One step's request to the model. Field names are the API's. */
export interface ModelRequest {
  readonly system: readonly TextBlock[];
  readonly messages: readonly MessageParam[];
  readonly tools: readonly ToolParam[];
  /** Only for a model that supports them: see {@link Model.webSearch}. */
  readonly serverTools?: readonly ServerTool[];
  /** Left out: the adapter's default. */
  readonly max_tokens?: number;
  /** Replaces the model's own effort. Adapters of servers without it ignore it. */
  readonly effort?: EffortLevel;
  /** The token budget for the model. Adapters of servers without it ignore it. */
  readonly taskBudget?: TaskBudget;
  /**
   * They don't change the meaning of a request. Adapters of servers with another cache, or none,
   * ignore them.
   */
  readonly breakpoints?: Breakpoints;
}

/**
 * A retry, reported before each further attempt, so that a person sees the reason for the delay.
 */
export interface ModelRetry {
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  /** Null if there was no answer at all. */
  readonly status: number | null;
  readonly error: SerializedError;
}

/** The options of one request. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Called before each wait. */
  readonly onRetry?: (retry: ModelRetry) => void;
}

/** The model of a query. It keeps no conversation: each request contains all of it. */
export interface Model {
  /** The model's id as `system/init` reports it. */
  readonly name: string;
  /** The source of the key, as the SDK's `apiKeySource`. */
  readonly apiKeySource: 'user' | 'project' | 'org' | 'temporary' | 'none';
  /**
   * True if the server supports `defer_loading` and `tool_reference`. Left out: found tools are
   * sent as text.
   */
  readonly toolReferences?: boolean;
  /**
   * True if the server supports the tool `web_search_20250305`. Left out: it isn't used for
   * searches.
   */
  readonly webSearch?: boolean;
  /**
   * The context window in tokens. Left out or undefined: unknown; tool search by percentage then
   * assumes 200 000. It may become known later: see {@link Model.findContextWindow}.
   */
  readonly contextWindow?: number | undefined;
  /**
   * Requests the window from the model's server, once, and then sets `contextWindow`. Undefined if
   * the server doesn't say. Left out: the server can't be asked. Never rejects, even if `signal`
   * aborts.
   */
  findContextWindow?(options: Pick<StreamOptions, 'signal'>): Promise<number | undefined>;
  /** The thinking option, for tools that show it. Left out: the server's default. */
  readonly thinking?: ThinkingOption;
  /** The effort, for hooks and `system/init`. Left out: the server's default. */
  readonly effort?: EffortLevel;
  /** The `max_tokens` that the adapter sends if a request has none. Left out: unknown. */
  readonly maxTokens?: number;
  /**
   * The number of the request's input tokens by the model's count, including system prompt and
   * tools. Left out: this model has no count. Rejects like `stream`, without retries.
   */
  countTokens?(request: ModelRequest, options: Pick<StreamOptions, 'signal'>): Promise<number>;
  /**
   * Streams one message: `message_start` first, `message_stop` last.
   *
   * Throws an SdkError with a `model-*` code if the server refuses, or is overloaded after the
   * retries. `model-stream-cut`: the stream ended before `message_stop`, so no incomplete call may
   * run. `aborted`: `signal` was aborted. Retries only before the first event. Any other error ends
   * the turn as `model-server`, with its message.
   */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}
