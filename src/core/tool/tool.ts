// The contract of every tool, built-in or of a host: one structural type, no base class. Members are always called on
// the tool, so `this` works. build-tool.ts completes a definition. "Ours" marks a member that only Rockpool has;
// docs/compatibility.md lists the others.
import type { OutputFormat, TurnOutput } from '../messages/output-format.ts';
import type * as z from 'zod';
import type { BackgroundWork } from './background.ts';
import type {
  ImageBlock,
  TextBlock,
  ToolReferenceBlock,
  ToolResultBlock,
} from '../messages/blocks.ts';
import type { FileChange } from '../change-set.ts';
import type { GitDeed } from '../git/git-deed.ts';
import type { CallContext, ToolUseContext } from './context.ts';
import type { InputJsonSchema } from '../schema/json-schema.ts';
import type { KnownTools } from './listed-tool.ts';
import type { McpAppReference } from '../mcp/mcp-app.ts';
import type { McpServerSource } from '../mcp/mcp-server.ts';
import type { AssistantMessage, NewMessage } from '../messages/messages.ts';
import type {
  CanUseTool,
  ToolPermissionContext,
  ToolPermissionResult,
} from '../permissions/permission.ts';
import type { Theme } from './theme.ts';

/** A schema that yields an object: what the API calls a tool's input. */
export type InputSchema = z.ZodType<Record<string, unknown>>;

/** What a handler gets: the input as the schema has parsed it. */
export type ParsedInput<Input extends InputSchema> = z.output<Input>;

/** What a tool's `call` returns. A handler in a worker returns only the output. */
export interface ToolResult<Output> {
  readonly data: Output;
  /**
   * Appended to the conversation, after the results of all calls of the same message. They hold no
   * calls, results or thinking. A text that is too long is spilled, as a result's is. A message that
   * can't be sent fails the call. If a hook replaces the output, the messages are dropped: they may
   * repeat what the hook removed.
   */
  readonly newMessages?: readonly NewMessage[];
  /**
   * Changes the context of the calls that begin after this one, until the turn ends. Ignored for a
   * concurrency-safe call: such calls overlap, so none of them comes before the others.
   */
  readonly contextModifier?: ContextModifier;
  /** What a remote server sent beside its content: for hosts and views, never for the model. */
  readonly mcpMeta?: McpMeta;
}

/**
 * Maps one context to another. Its `abortController` is ignored: each call keeps its own. It changes
 * only what a tool's `call` is given: permissions, and work in a worker, use the conversation's
 * context. If it throws, the call that would have got the context fails.
 */
export type ContextModifier = (context: ToolUseContext) => ToolUseContext;

/** The fields of an MCP result that are not content. */
export interface McpMeta {
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Any JSON value. In protocol versions before 2026-07-28 always an object. */
  readonly structuredContent?: unknown;
  /** Ours: the page of the server that shows the call. */
  readonly app?: McpAppReference;
}

/** A remote tool as its server knows it. */
export interface McpToolInfo {
  readonly serverName: string;
  readonly toolName: string;
  /** The server doesn't run in the host's process. */
  readonly isElsewhere?: boolean;
  /** Who has named the server. Left out: `sdk`, or `option` for one elsewhere. */
  readonly source?: McpServerSource;
}

/** `message` goes to the model, so it says what to do instead; `errorCode` tells refusals apart. */
export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode: number };

/** What a tool's section of the system prompt may depend on. Equal options must give the same text. */
export interface PromptOptions {
  readonly permissionContext: ToolPermissionContext;
  readonly tools: Tools;
  readonly cwd: string;
}

/** What the sentence of a permission question may depend on. */
export interface DescriptionOptions {
  readonly permissionContext: ToolPermissionContext;
  /** The tools that the call may call. */
  readonly tools: KnownTools;
  readonly cwd: string;
}

/** What a call may do, and what is asked before it does it. A part of {@link Tool}. */
export interface ToolPermission<Input extends InputSchema = InputSchema, Output = unknown> {
  /** Changes nothing outside itself. */
  isReadOnly(input: z.output<Input>): boolean;
  /**
   * Ours: the server says that the call changes nothing, and nobody has checked that. In plan mode such a call leads
   * to a question instead of a refusal.
   */
  claimsReadOnly?(input: z.output<Input>): boolean;
  /**
   * Can't be undone: delete, overwrite, send. The question about such a call proposes "no", and
   * suggests no rule that would avoid the next question. Auto mode's classifier is told.
   */
  isDestructive(input: z.output<Input>): boolean;
  /** Reaches the network. */
  isOpenWorld?(input: z.output<Input>): boolean;
  /**
   * Ours, for a tool that runs code: the hosts that the code names, as `host` or `host:port`. Rules
   * `Tool(net:host)` match them, and a person is asked about them. Beyond these, the code reaches only
   * hosts that rules allow. For a tool that reads the web itself: the host that its input names;
   * rules `Tool(domain:host)` match it. `ownPorts`: where servers in the tool's own sandbox listen. What
   * the code asks these doesn't leave it, so they are left out.
   */
  getNetworkHosts?(input: z.output<Input>, ownPorts?: readonly number[]): readonly string[];
  /**
   * Ours: the call changes only the session, for example its tasks or its mode, but no file and nothing outside. In
   * plan mode `checkPermissions` may allow only these calls and calls that read.
   */
  changesOnlySession?(input: z.output<Input>): boolean;
  /**
   * Ours, for a server's tool: SHA-256 of its definition. A person's permission holds only for the definition that
   * they saw.
   */
  getDefinition?(): Promise<string>;
  /** Needs a person; refused at once where there is none. */
  requiresUserInteraction?(): boolean;
  /**
   * Ours: the question waits until the calls before it in its message are done, because it shows what they did.
   * Left out: the question is put as soon as the input is parsed.
   */
  readonly isAskedInTurn?: true;
  /**
   * Ours, for a worker's tool that only changes files: before a person is asked, the call runs once over a draft that
   * is then dropped. If that run fails, the call fails and nobody is asked. The question waits for the call's turn.
   */
  readonly isRehearsed?: true;
  /**
   * Ours: the input that the question shows, with what only the host knows, such as a plan's text. The
   * answer returns it in `updatedInput`, changed or not, and `answerSchema` parses it. If this rejects,
   * the call fails with its message and nobody is asked.
   */
  fillQuestion?(
    input: z.output<Input>,
    context: ToolUseContext,
  ): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Ours: how the call ends if it needs an answer and nobody can give one (no `canUseTool`, and no hook
   * answered). `question` is the input as {@link fillQuestion} gives it. Left out: it is refused with the reason.
   */
  refuseUnattended?(question: Readonly<Record<string, unknown>>): UnattendedRefusal;
  /** The tool's decision. The default makes none: `passthrough`. */
  checkPermissions(input: z.output<Input>, context: ToolUseContext): Promise<ToolPermissionResult>;
  /** The file it touches, absolute or relative to the working directory: for path rules and display. */
  getPath?(input: z.output<Input>): string | undefined;
  /** Parses once, then matches each rule's content. Without it, contents are globs over `getPath`. */
  preparePermissionMatcher?(input: z.output<Input>): Promise<(pattern: string) => boolean>;
  /** Have both inputs the same effect? An answer with an equivalent input counts as unchanged. */
  inputsEquivalent?(a: z.output<Input>, b: z.output<Input>): boolean;
  /** What a question about the call shows. Left out: the name, the summary and `description(input)`. */
  genToolPermission?(input: z.output<Input>): PermissionDisplay;
  /**
   * Ours: the changes as a person reviews them. The question at commit shows them, and so does the
   * question about a call that was rehearsed.
   */
  getFileChanges?(output: Output): readonly FileChange[];
  /**
   * Ours: the output of a call that a person allowed with another input than `asked`, so that the
   * result can tell the model what it doesn't know. Left out: the model isn't told.
   */
  withChangedInput?(content: Output, asked: z.output<Input>): Output;
  /** Ours: what git did for the call, for the same question and for rules such as `Repl(git:commit)`. */
  getGitDeeds?(output: Output): readonly GitDeed[];
  /**
   * Ours: when the draft's changes are authorised. `call`: the permission for the call covers
   * them (the default). `commit`: each changed path is judged from the true change set.
   */
  readonly authorizesChangesAt?: 'call' | 'commit';
  /**
   * Ours: it runs code that the model wrote, and that code may call the other tools of the pool. Each of
   * these calls is judged by itself. A read-only call may call none. Such tools can't call each other.
   */
  readonly callsTools?: true;
  /** What auto mode's classifier sees. With '' it sees nothing, and a person is asked about the call. */
  toAutoClassifierInput(input: z.output<Input>): unknown;
}

/** When a call runs, what runs beside it, and what ends it. A part of {@link Tool}. */
export interface ToolSchedule<
  Input extends InputSchema = InputSchema,
  Output = unknown,
  Progress = unknown,
> {
  /** May run beside others, another call with the same input included. */
  isConcurrencySafe(input: z.output<Input>): boolean;
  /** Ours: how many of its calls in one message run at once. Left out: only the limit for all tools holds. */
  readonly maxRunningCalls?: number;
  /** Ours: when one of its calls fails, the calls that run beside it are cut: they probably depend on it. */
  readonly cutsSiblings?: true;
  /**
   * Ours, for a tool whose handler keeps state for the session (`keep`, `saveState`): does this call need
   * or change it? Such calls of one session run in one worker, in their order. Asked only for
   * concurrency-safe calls; any other call counts as one that does. Left out: concurrency-safe calls
   * use no state, and run in any free worker.
   */
  usesSessionState?(input: z.output<Input>): boolean;
  /**
   * The call's changes are merged by lines with what others changed meanwhile, and refused only if the
   * merge isn't clean. Left out: refused as soon as a path has a newer version. Don't set it for a tool
   * that promises a file's whole new content.
   */
  readonly mergesChanges?: true;
  /** Ours: how long the call may take in milliseconds, before it is cut; a day at most. Left out: 60 000. */
  getTimeoutMs?(input: z.output<Input>): number;
  /**
   * Ours, for a handler that says when its time begins (`startClock`) and ends the call itself when the
   * time is over. What it loads or waits for before that doesn't count. A handler that never calls
   * `startClock` is cut after a minute. Left out: time counts from the call's start.
   */
  readonly keepsOwnTime?: true;
  /**
   * Ours: the turn ends with this call's result, and the `result` message says this text, or this answer. Undefined:
   * the model continues.
   */
  endTurn?(output: Output): string | TurnOutput | undefined;
  /**
   * What a new user message does while the call runs. `cancel`: the call is cut and the turn ends, so
   * that the message is answered at once. `block`, the default: the message waits. Stop and abort cut
   * every call.
   */
  interruptBehavior?(): 'cancel' | 'block';
  /**
   * Ours, for a tool with a `call`: what it returns within the grace period after a stop is its result.
   * Left out: a stopped call has no result, and the model is told so.
   */
  readonly keepsPartialResult?: boolean;
  /** Ours: the call can run in the background, on a copy of the tool's state for the session. */
  readonly background?: BackgroundWork<z.output<Input>, Output, Progress>;
  /**
   * Ours, for a tool with a `call`: continues a call that was cut when its page was closed, in place of `call`. The
   * call is authorised again. This function finds out how far the call had come. It is called once for each time that
   * the session is resumed. Left out: a call that only reads runs again once; for any other the model is told that it
   * was interrupted.
   */
  resumeCall?(
    input: z.output<Input>,
    context: CallContext,
    canUseTool: CanUseTool,
    parentMessage: AssistantMessage,
    onProgress?: (progress: Progress) => void,
  ): Promise<ToolResult<Output>>;
}

/** What people see of a call. A part of {@link Tool}. */
export interface ToolDisplay<Input extends InputSchema = InputSchema, Output = unknown> {
  /** The name for people, by input. */
  userFacingName(input?: Partial<z.output<Input>>): string;
  /** A colour behind that name, by input. */
  userFacingNameBackgroundColor?(input?: Partial<z.output<Input>>): keyof Theme | undefined;
  /** How the call runs if that is unusual, in a few words: "at most 5 s", "in the background". Null: as usual. */
  getToolUseTag?(input: Partial<z.output<Input>>): string | null;
  /** The line above a call; left out: the name for people and the summary. */
  getDisplayTitle?(input?: Partial<z.output<Input>>): string;
  /** At most 50 characters; null for none. */
  getToolUseSummary?(input: Partial<z.output<Input>>): string | null;
  /** "Reading src/app.ts"; null: the name is shown. */
  getActivityDescription?(input: Partial<z.output<Input>>): string | null;
  /** Lets a view hide the call's details, and show several calls of a kind in one line. See call-display.ts. */
  isSearchOrReadCommand?(input: z.output<Input>): SearchOrRead;
  /** A view shows the calls that it makes in its place, and no line for the call itself. */
  isTransparentWrapper?(): boolean;
  /** What is shown of a call that has ended, if the tool has no view. */
  genToolResultMessage?(output: Output, input?: z.output<Input>): ResultDisplay;
  /** True if a view shows only a part of the output. */
  isResultTruncated?(output: Output): boolean;
  /** The text by which a search through the transcript finds the call. Left out: its title and its result's text. */
  extractSearchText?(output: Output): string;
}

/** What the model sees of a call's output. A part of {@link Tool}. */
export interface ToolResultMapping<Output = unknown> {
  /**
   * The schema of `Output`, without transforms. A hook's replacement is always checked against it, the
   * tool's own output only in development. A call whose output doesn't match fails and keeps nothing.
   */
  readonly outputSchema?: z.ZodType<Output>;
  /** The output as the model sees it. Pure: the same output gives the same bytes. */
  mapToolResultToToolResultBlockParam(content: Output, toolUseID: string): ToolResultBlock;
  /**
   * A result of more UTF-16 units is spilled to a file, and a preview of at most that length is sent.
   * Left out: 50 000. `Infinity`, for a tool that pages by itself: never spilled, but cut where the
   * message is full; the model is told how to continue.
   */
  readonly maxResultSizeChars?: number;
  /**
   * Ours, for results that are cut: tells the model how to get the rest after the first `shownLines`
   * lines of the result's text. Left out: the model is told to ask for less.
   */
  tellRest?(content: Output, shownLines: number): string;
  /** Ours: the output with the file to which its whole text was spilled, for hosts and views. */
  withPersistedOutput?(content: Output, file: PersistedOutput): Output;
}

/**
 * One tool. `Input` is a zod schema, `Output` what a call returns as data, `Progress` what it reports while it runs.
 * The members declared here identify the tool and its input. The four interfaces that it extends say what a call may
 * do, when it runs, what people see, and what the model sees.
 *
 * Classification members are pure functions of the parsed input; one that throws gives the
 * cautious answer (not read-only, not concurrency-safe, destructive, open-world).
 */
export interface Tool<Input extends InputSchema = InputSchema, Output = unknown, Progress = unknown>
  extends
    ToolPermission<Input, Output>,
    ToolSchedule<Input, Output, Progress>,
    ToolDisplay<Input, Output>,
    ToolResultMapping<Output> {
  /** The name that the model sees. */
  readonly name: string;
  /** Older names that still resolve. */
  readonly aliases?: readonly string[];
  /** 3 to 10 words that ToolSearch matches. */
  readonly searchHint?: string;
  /** The tool is a remote server's. */
  readonly isMcp?: boolean;
  /** The tool comes from a language server. Like `isMcp` this only says where a tool comes from. */
  readonly isLsp?: boolean;
  /** The server's own names of a remote tool; `name` may differ, because the API takes fewer characters. */
  readonly mcpInfo?: McpToolInfo;
  /** Built on first use, so an unused tool costs nothing. Strict: unknown keys are refused. */
  readonly inputSchema: Input;
  /**
   * Ours: the schema of the input that a host's answer may give (`updatedInput`): `inputSchema` and more fields, such
   * as a person's answers. The model isn't told of these fields. A call of the model's that has one is refused, and
   * so is a PreToolUse hook's input. `call` may be given either kind. A handler in a worker uses this one as its
   * schema. Left out: an answer has the model's fields.
   */
  readonly answerSchema?: InputSchema;
  /**
   * The JSON Schema that the API gets, unchanged. For a tool that brings its own, such as a remote
   * one. `inputSchema` then checks what zod can express, at least that the input is an object. Left
   * out: derived from `inputSchema`.
   */
  readonly inputJSONSchema?: InputJsonSchema;
  /** The API guarantees that the model's input matches the schema. */
  readonly strict?: boolean;
  /** The handler in the tool's `worker.ts` does the work; `call` is then left out. */
  readonly runsIn?: 'worker';
  /**
   * Runs the call on the agent's own thread. Must settle when `context.abortController` aborts.
   * `canUseTool` is the full permission check, bound, for nested calls.
   */
  call?(
    input: z.output<Input>,
    context: CallContext,
    canUseTool: CanUseTool,
    parentMessage: AssistantMessage,
    onProgress?: (progress: Progress) => void,
  ): Promise<ToolResult<Output>>;
  /**
   * Without an input: the text for the API, the same in every request. With one: the text of the
   * permission question, which may depend on `options`.
   */
  description(input?: z.output<Input>, options?: DescriptionOptions): Promise<string>;
  /** The tool's section of the system prompt; empty for none. */
  prompt(options: PromptOptions): Promise<string>;
  /** Checks of values after the schema and before any permission question. */
  validateInput?(input: z.output<Input>, context: ToolUseContext): Promise<ValidationResult>;
  /** Asked again for each request, never cached. */
  isEnabled(): boolean;
  /**
   * Fills old or derived fields in place, on a copy of the input that only hooks and viewers see. The
   * call runs with the model's own input, and the API gets that back, so that the prompt cache holds.
   */
  backfillObservableInput?(input: Record<string, unknown>): void;
  /** The tool is listed only by name until ToolSearch finds it. Always so for a remote tool. */
  readonly shouldDefer?: boolean;
  /** The tool is never deferred. */
  readonly alwaysLoad?: boolean;
  /**
   * Ours: the tool for a query with this `outputFormat`. The model can't end such a query without calling it.
   *
   * @throws SdkError `bad-usage` for a format that can't be enforced
   */
  forOutputFormat?(format: OutputFormat): Promise<Tool>;
}

/** How a call ends that needed a person's answer, if nobody can give one. */
export interface UnattendedRefusal {
  /** What the model is told: what to do instead. */
  readonly message: string;
  /** The turn ends with the call, and this is the turn's result. Left out: the turn continues. */
  readonly result?: string;
}

/** A permission question, as a person reads it. */
export interface PermissionDisplay {
  readonly title: string;
  readonly summary?: string;
  /** Text, or data for a view of the host. */
  readonly content: string | Readonly<Record<string, unknown>>;
}

/** A result, as a person reads it. */
export interface ResultDisplay extends PermissionDisplay {
  readonly summary: string;
}

/** What a call that only reads does: search, read or list. */
export interface SearchOrRead {
  readonly isSearch: boolean;
  readonly isRead: boolean;
  readonly isList?: boolean;
}

/** A file of the session with the whole text of a result. */
export interface PersistedOutput {
  /** Absolute. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** The tools of one request, in the order in which the model sees them. */
export type Tools = readonly Tool[];

/** The content of a `tool_result`. */
export type ToolResultContent = string | readonly (TextBlock | ImageBlock | ToolReferenceBlock)[];

/** Finds by name, then by alias. */
export function findToolByName<Named extends Pick<Tool, 'name' | 'aliases'>>(
  tools: readonly Named[],
  name: string,
): Named | undefined {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.aliases?.includes(name) === true)
  );
}
