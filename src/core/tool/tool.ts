// The contract of every tool, built-in or a host's own: one structural type, no base class.
// Members are always called on the tool, so `this` works. A definition is completed by build-tool.ts.
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

/** What a handler is given: the input as the schema has parsed it. */
export type ParsedInput<Input extends InputSchema> = z.output<Input>;

/** What a tool's `call` gives. A worker's handler gives its output alone. */
export interface ToolResult<Output> {
  readonly data: Output;
  /**
   * Appended to the conversation, after the results of all calls of the same message. They may hold
   * no calls, results or thinking. A text that is too long is spilled as a result's would be. What can't be
   * sent fails the call; where a hook replaces the output they are left out, as they may say the same.
   */
  readonly newMessages?: readonly NewMessage[];
  /**
   * What the calls that begin after this one, until the turn ends, are given as their context. Taken
   * only of a call that isn't concurrency-safe: of those there is always exactly one that came before.
   */
  readonly contextModifier?: ContextModifier;
  /** What a remote server said beside its content: for hosts and views, never for the model. */
  readonly mcpMeta?: McpMeta;
}

/**
 * Gives a context in place of the one that is given. The call's own controller stays, whatever it gives
 * for it. Permission and work in a worker go by the conversation's own: only what a tool's `call` is
 * handed is another. One that throws fails the call that would have got its context.
 */
export type ContextModifier = (context: ToolUseContext) => ToolUseContext;

/** The fields of an MCP result that are not content. */
export interface McpMeta {
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Any JSON; before the protocol of 2026-07-28 an object. */
  readonly structuredContent?: unknown;
  /** Ours: the page by which the server shows the call. */
  readonly app?: McpAppReference;
}

/** A remote tool as its server knows it. */
export interface McpToolInfo {
  readonly serverName: string;
  readonly toolName: string;
  /** The server's code isn't the host's own. */
  readonly isElsewhere?: boolean;
  /** Who has named the server. Left out: `sdk`, or `option` for one elsewhere. */
  readonly source?: McpServerSource;
}

/** `message` goes to the model, so it says what to do instead; `errorCode` tells refusals apart. */
export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode: number };

/** What a tool's section of the system prompt may depend on. The same must give the same text. */
export interface PromptOptions {
  readonly permissionContext: ToolPermissionContext;
  readonly tools: Tools;
  readonly cwd: string;
}

/** What the sentence of a permission question may depend on. */
export interface DescriptionOptions {
  readonly permissionContext: ToolPermissionContext;
  /** Those that the call may call. */
  readonly tools: KnownTools;
  readonly cwd: string;
}

/** What a call may do, and what is asked before it does it. A part of {@link Tool}. */
export interface ToolPermission<Input extends InputSchema = InputSchema, Output = unknown> {
  /** Changes nothing outside itself. */
  isReadOnly(input: z.output<Input>): boolean;
  /**
   * Ours: a server says that the call changes nothing, for which nobody vouches. In plan mode such a call is asked
   * about, not refused.
   */
  claimsReadOnly?(input: z.output<Input>): boolean;
  /**
   * Can't be undone: delete, overwrite, send. The question about such a call proposes no, and no rule
   * that would spare the next one; the classifier of auto mode is told.
   */
  isDestructive(input: z.output<Input>): boolean;
  /** Reaches the network. */
  isOpenWorld?(input: z.output<Input>): boolean;
  /**
   * Ours, for a tool that runs code: the hosts that the code names, as `host` or `host:port`. A person
   * is asked about them, and rules `Tool(net:host)` are judged by them. The code reaches no others but
   * those that rules allow. For a tool that reads the web itself: the host that its input names, and rules
   * `Tool(domain:host)`.
   */
  getNetworkHosts?(input: z.output<Input>): readonly string[];
  /**
   * Ours: it changes nothing but the session, such as its tasks, its list or its mode: no file, and nothing
   * outside. In plan mode an allow of `checkPermissions` holds for such calls and for those that read, no others.
   */
  changesOnlySession?(input: z.output<Input>): boolean;
  /**
   * Ours, of a server's tool: SHA-256 of what the server says of it. What a person allows holds for the one that they
   * saw.
   */
  getDefinition?(): Promise<string>;
  /** Needs a person; refused at once where there is none. */
  requiresUserInteraction?(): boolean;
  /**
   * Ours: it is asked about when the calls before it in its message are done, as the question shows what they did.
   * Left out: as soon as it is understood.
   */
  readonly isAskedInTurn?: true;
  /**
   * Ours, for a tool of a worker that does nothing but change files: before it is asked about, the call is run over a
   * draft that is dropped. Where that fails the call fails, and nobody is asked. It is asked about in its turn.
   */
  readonly isRehearsed?: true;
  /**
   * Ours: the input as a person is asked about it, with what only the host knows, such as a plan's text. An
   * answer gives it back by `updatedInput`, changed or not, and `answerSchema` parses it. One that rejects fails
   * the call with its message, and nobody is asked.
   */
  fillQuestion?(
    input: z.output<Input>,
    context: ToolUseContext,
  ): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Ours: what becomes of a call that is asked about where nobody can answer (no `canUseTool`, and no hook
   * did). `question` is the input as {@link fillQuestion} gives it. Left out: it is refused with the reason.
   */
  refuseUnattended?(question: Readonly<Record<string, unknown>>): UnattendedRefusal;
  /** The tool's own opinion. The default has none: `passthrough`. */
  checkPermissions(input: z.output<Input>, context: ToolUseContext): Promise<ToolPermissionResult>;
  /** The file it touches, absolute or relative to the working directory: for path rules and display. */
  getPath?(input: z.output<Input>): string | undefined;
  /** Parses once, then matches each rule's content. Without it, contents are globs over `getPath`. */
  preparePermissionMatcher?(input: z.output<Input>): Promise<(pattern: string) => boolean>;
  /** The same call in effect: a person who answers with such an input has changed nothing. */
  inputsEquivalent?(a: z.output<Input>, b: z.output<Input>): boolean;
  /** What a question about the call shows. Left out: the name, the summary and `description(input)`. */
  genToolPermission?(input: z.output<Input>): PermissionDisplay;
  /** Ours: the changes as a person reviews them, for the question at commit. */
  getFileChanges?(output: Output): readonly FileChange[];
  /** Ours: what git did for the call, for the same question and for rules such as `Repl(git:commit)`. */
  getGitDeeds?(output: Output): readonly GitDeed[];
  /**
   * Ours: when the draft's changes are authorised. `call`: the permission for the call covers
   * them (the default). `commit`: each changed path is judged from the true change set.
   */
  readonly authorizesChangesAt?: 'call' | 'commit';
  /**
   * Ours: it runs code of the model's that may call the other tools of the pool, each call judged by
   * itself. A call that is read-only may call none, and no such tool may call another such tool.
   */
  readonly callsTools?: true;
  /** What the classifier of auto mode sees; '' shows it nothing, and the call is then asked. */
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
  /** Ours: how many of its calls run at once, of one message. Left out: as many as of all tools may. */
  readonly maxRunningCalls?: number;
  /** Ours: when a call of it fails, those that run beside it are cut: they were likely of one thought. */
  readonly cutsSiblings?: true;
  /**
   * Ours, for a tool whose handler keeps something for the session (`keep`, `saveState`): does this call
   * need it or change it? Then the session's calls stay together in one worker, in their order. Asked of
   * calls that are concurrency-safe; any other counts as one that does. Left out: they use none, and run
   * in whichever worker is free.
   */
  usesSessionState?(input: z.output<Input>): boolean;
  /**
   * What the call changed is merged by lines with what others changed meanwhile, and refused only
   * where that isn't clean. Left out: refused as soon as a path has moved on. Not for a tool that
   * promises a file's whole new content.
   */
  readonly mergesChanges?: true;
  /** Ours: how long the call may take in milliseconds, before it is cut; a day at most. Left out: 60 000. */
  getTimeoutMs?(input: z.output<Input>): number;
  /**
   * Ours, for a handler that says when its time begins (`startClock`), and ends the call itself when it
   * is over. What it loads or waits for before doesn't count; a handler that never says so is cut after a
   * minute. Left out: time counts from where the call is started.
   */
  readonly keepsOwnTime?: true;
  /**
   * Ours: the turn ends with this call's result, and the `result` message says this text, or this answer. Undefined:
   * the model goes on.
   */
  endTurn?(output: Output): string | TurnOutput | undefined;
  /**
   * When a new user message comes while it runs: the call is cut and the turn ends, so that the message
   * is answered at once, or the message waits (the default). Stop and abort cut every call.
   */
  interruptBehavior?(): 'cancel' | 'block';
  /**
   * Ours, for a tool with a `call`: what it gives within the grace after a stop is its result. Left out: a
   * call that was stopped has none, and the model is told that.
   */
  readonly keepsPartialResult?: boolean;
  /** Ours: it can run beside the conversation, on a copy of what the tool keeps for the session. */
  readonly background?: BackgroundWork<z.output<Input>, Output, Progress>;
  /**
   * Ours, for a tool with a `call`: takes up a call that was cut when its page was closed, in place of
   * `call`. It is allowed anew, and finds out by itself how far it had come. Called once for each time that
   * the session is resumed. Left out: such a call runs again once where it only reads, and is otherwise
   * reported to the model as interrupted.
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
  /**
   * How it runs where that isn't as usual, in a few words behind the line: "at most 5 s", "in the background".
   * Null: as usual.
   */
  getToolUseTag?(input: Partial<z.output<Input>>): string | null;
  /** The line above a call; left out: the name for people and the summary. */
  getDisplayTitle?(input?: Partial<z.output<Input>>): string;
  /** At most 50 characters; null for none. */
  getToolUseSummary?(input: Partial<z.output<Input>>): string | null;
  /** "Reading src/app.ts"; null: the name is shown. */
  getActivityDescription?(input: Partial<z.output<Input>>): string | null;
  /** Lets a view fold the call away, and several of a kind into one line. See call-display.ts. */
  isSearchOrReadCommand?(input: z.output<Input>): SearchOrRead;
  /** What it wraps is what a person sees: a view shows the calls that it makes, and no line for itself. */
  isTransparentWrapper?(): boolean;
  /** What a view without one for the tool shows of a call that is over. */
  genToolResultMessage?(output: Output, input?: z.output<Input>): ResultDisplay;
  /** Is what a view shows of the output less than the output? */
  isResultTruncated?(output: Output): boolean;
  /** What a search through the transcript finds the call by; left out: its title and its result's text. */
  extractSearchText?(output: Output): string;
}

/** What the model sees of a call's output. A part of {@link Tool}. */
export interface ToolResultMapping<Output = unknown> {
  /**
   * What `Output` looks like, as it is: without transforms. A hook's output in its place is held to it,
   * and in development builds the tool's own: a call whose output it refuses fails, and keeps nothing.
   */
  readonly outputSchema?: z.ZodType<Output>;
  /** The output as the model sees it. Pure: the same output gives the same bytes. */
  mapToolResultToToolResultBlockParam(content: Output, toolUseID: string): ToolResultBlock;
  /**
   * UTF-16 units above which the result is spilled to a file, and a preview of at most that length sent;
   * left out = 50 000. `Infinity`: never spilled, as the tool pages by itself. What of it doesn't fit into
   * what one message may hold is cut, and the model is told how to go on.
   */
  readonly maxResultSizeChars?: number;
  /**
   * Ours, for results that are cut: how the model gets the rest, where it is shown the first `shownLines`
   * lines of the result's text. Left out: it is told to call again for less.
   */
  tellRest?(content: Output, shownLines: number): string;
  /** Ours: notes in the output where its whole text was spilled to, for hosts and views. */
  withPersistedOutput?(content: Output, file: PersistedOutput): Output;
}

/**
 * One tool. `Input` is a zod schema, `Output` what a call returns as data, `Progress` what it
 * reports while it runs. Its own members say what it is and what it takes; the four groups that it
 * extends say what it may do, when it runs, what people see, and what the model sees.
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
  /** It is a remote server's. */
  readonly isMcp?: boolean;
  /** It is a language server's. Like `isMcp` it says where a tool comes from; nothing else goes by it. */
  readonly isLsp?: boolean;
  /** Of a remote tool: the server's own names, which `name` may have had to change. */
  readonly mcpInfo?: McpToolInfo;
  /** Built on first use, so an unused tool costs nothing. Strict: unknown keys are refused. */
  readonly inputSchema: Input;
  /**
   * Ours: the fuller schema of what a host's answer to the question about a call may put in the input's place
   * (`updatedInput`), such as a person's answers. The model isn't told of what it has beyond `inputSchema`, and a
   * call of the model's with such a field is refused; so is what a PreToolUse hook makes of it. What `call` is
   * handed may be of either. A handler in a worker names this one as its own schema. Left out: an answer may
   * fill what the model may.
   */
  readonly answerSchema?: InputSchema;
  /**
   * What the API is told of the input, untouched. For a tool that brings its own, such as a remote one;
   * `inputSchema` is then what can be said in zod, at least that it is an object. Left out: written
   * from `inputSchema`.
   */
  readonly inputJSONSchema?: InputJsonSchema;
  /** The API makes the model keep to the schema to the letter. */
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
   * Without input: the text for the API, the same for every request, and so without options. With one: the
   * permission question, as things stand.
   */
  description(input?: z.output<Input>, options?: DescriptionOptions): Promise<string>;
  /** The tool's section of the system prompt; empty for none. */
  prompt(options: PromptOptions): Promise<string>;
  /** Checks of values after the schema and before any permission question. */
  validateInput?(input: z.output<Input>, context: ToolUseContext): Promise<ValidationResult>;
  /** Asked anew for each request, never cached. */
  isEnabled(): boolean;
  /**
   * Fills old or derived fields, in place, on a copy of the input: what hooks and viewers see. What goes
   * back to the API stays as the model wrote it, so that the prompt cache holds; what runs, too.
   */
  backfillObservableInput?(input: Record<string, unknown>): void;
  /** Listed by name until ToolSearch finds it. A remote tool always is. */
  readonly shouldDefer?: boolean;
  /** Never deferred, whatever else is. */
  readonly alwaysLoad?: boolean;
  /**
   * Ours: the tool as it is in a query with this `outputFormat`, which the model can't end without a call of it.
   *
   * @throws SdkError `bad-usage` for a format that can't hold.
   */
  forOutputFormat?(format: OutputFormat): Promise<Tool>;
}

/** A call that needed a person, where there is none. */
export interface UnattendedRefusal {
  /** What the model is told: what to do instead. */
  readonly message: string;
  /** The turn ends with the call, and this is its result. Left out: the turn goes on. */
  readonly result?: string;
}

/** A question, as a person reads it. */
export interface PermissionDisplay {
  readonly title: string;
  readonly summary?: string;
  /** Text, or data for a view of the host's. */
  readonly content: string | Readonly<Record<string, unknown>>;
}

/** A result, as a person reads it. */
export interface ResultDisplay extends PermissionDisplay {
  readonly summary: string;
}

/** What a call does that changes nothing. */
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

/** The pool of one request, in the order in which the model sees it. */
export type Tools = readonly Tool[];

/** What a `tool_result` may hold. */
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
