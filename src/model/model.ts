// The port to a model: one request in, one message out as a stream of events. Adapters: anthropic.ts
// (any Messages-compatible server), scripted.ts (a script, for offline use and tests).
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
  /** The model's input keeps to the schema to the letter. */
  readonly strict?: true;
  /** The API keeps the definition from the model until a `tool_reference` names the tool. */
  readonly defer_loading?: true;
}

/** A tool that the server itself runs, in its own words. */
export interface ServerTool {
  readonly type: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** How long the API keeps a cached request, counted from its last use. */
export type CacheTtl = '5m' | '1h';

/** One block of one message; block 0 where the content is a string. */
export interface BlockPosition {
  readonly message: number;
  readonly block: number;
}

/**
 * The places up to which the API may keep the request, as indexes into its parts. There are at most
 * four in all.
 */
export interface Breakpoints {
  readonly ttl: CacheTtl;
  /** Never a tool with `defer_loading`: the API refuses such a request. */
  readonly tool?: number;
  readonly system?: number;
  readonly messages: readonly BlockPosition[];
}

/**
 * The number of tokens that a turn may take, thinking and results of calls included. The model
 * paces itself by it.
 */
export interface TaskBudget {
  /** The tokens of the whole turn. */
  readonly total: number;
  /**
   * The tokens that are left. Left out: the server counts by the conversation, which has the whole
   * turn.
   */
  readonly remaining?: number;
}

/** One step's request to the model. Field names are the API's. */
export interface ModelRequest {
  readonly system: readonly TextBlock[];
  readonly messages: readonly MessageParam[];
  readonly tools: readonly ToolParam[];
  /** Only for a model that says it takes them: see {@link Model.webSearch}. */
  readonly serverTools?: readonly ServerTool[];
  /** Left out: the adapter's default. */
  readonly max_tokens?: number;
  /** The effort instead of the model's own. An adapter whose server takes none ignores it. */
  readonly effort?: EffortLevel;
  /** The budget that the model is told. An adapter whose server takes none ignores it. */
  readonly taskBudget?: TaskBudget;
  /**
   * Not part of the request's meaning: an adapter whose server caches otherwise, or never, passes
   * it over.
   */
  readonly breakpoints?: Breakpoints;
}

/** A retry, reported before each further attempt, so that a person sees why nothing happens. */
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

/**
 * The model that `query` talks to. It holds no conversation: each request carries the whole of it.
 */
export interface Model {
  /** The model's id as `system/init` reports it. */
  readonly name: string;
  /** Where the key comes from, as the SDK's `apiKeySource` names it. */
  readonly apiKeySource: 'user' | 'project' | 'org' | 'temporary' | 'none';
  /** The server takes `defer_loading` and `tool_reference`. Left out: found tools are sent as text. */
  readonly toolReferences?: boolean;
  /** Its server takes the tool `web_search_20250305`. Left out: nothing is searched by it. */
  readonly webSearch?: boolean;
  /**
   * The window in tokens. Left out or undefined: unknown. Tool search by share of the window then counts with 200 000.
   * It may become known: see {@link Model.findContextWindow}.
   */
  readonly contextWindow?: number | undefined;
  /**
   * Asks the model's server for the window, once. `contextWindow` is known from then on. Undefined
   * if the server doesn't say. Left out: nobody can be asked. Never rejects, even if `signal`
   * aborts.
   */
  findContextWindow?(options: Pick<StreamOptions, 'signal'>): Promise<number | undefined>;
  /**
   * How much the model is to think, for tools that want to know. Left out: the server's default.
   */
  readonly thinking?: ThinkingOption;
  /**
   * How thoroughly the model is to work, for hooks and `system/init`. Left out: the server's
   * default.
   */
  readonly effort?: EffortLevel;
  /**
   * The longest reply that the adapter asks for, in tokens, if a request doesn't say. Left out:
   * unknown.
   */
  readonly maxTokens?: number;
  /**
   * The number of the request's input tokens, system prompt and tools included, as the model counts
   * them. Left out: nobody counts for this model. Rejects as `stream` throws; nothing is retried.
   */
  countTokens?(request: ModelRequest, options: Pick<StreamOptions, 'signal'>): Promise<number>;
  /**
   * Streams one message: `message_start` first, `message_stop` last.
   *
   * Throws an SdkError with a `model-*` code when the server refuses, or is overloaded after the retries.
   * `model-stream-cut`: the stream ended before `message_stop`, so nothing half-read may be run. `aborted`: `signal`
   * was aborted. Retries only before the first event. Anything else that it throws ends the turn as `model-server`,
   * with its message.
   */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}
