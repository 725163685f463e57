// Converts tools that were written for Sema Core to tools of ours. Only this file knows the differences between the
// two forms; everything else is copied unchanged. Exported by `rockpool/sema`.
import type { UserBlock } from '../../core/messages/blocks.ts';
import { buildTool } from '../../core/tool/build-tool.ts';
import type { ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import { closeIterator } from '../../core/async/close-iterator.ts';
import { ToolError } from '../../core/errors.ts';
import type {
  InputSchema,
  PermissionDisplay,
  ResultDisplay,
  Tool,
  ToolResult,
  ToolResultContent,
  ValidationResult,
} from '../../core/tool/tool.ts';

/** The context that Sema Core passes to a tool, without the parts that have no meaning here. */
export interface SemaAgentContext extends ToolUseContext {
  /** The sub-agent's id; `main` for the session's main agent. */
  readonly agentId: string;
  readonly currentToolUseID: string;
}

/**
 * The context of a running call. The tool reaches files and other tools by it, because there is no other file system.
 */
export interface SemaCallContext extends SemaAgentContext, Pick<CallContext, 'fs' | 'callTool'> {
  readonly toolUseID: string;
}

/** What a call yields. Any other value is ignored. */
export type SemaYield<Output> =
  | {
      readonly type: 'result';
      readonly data: Output;
      /** Used instead of `genResultForAssistant`. */
      readonly resultForAssistant?: ToolResultContent;
      /** For the model, after the results of all calls of the same message. */
      readonly additionalBlocks?: readonly UserBlock[];
    }
  /** Ours: shown while the call runs. */
  | { readonly type: 'progress'; readonly data: unknown };

type SemaResult = Extract<SemaYield<unknown>, { type: 'result' }>;

/** A tool in Sema Core's form. Its input is checked by its schema, like the input of our tools. */
// oxlint-disable-next-line typescript/no-explicit-any -- inference: a tool of any input is one
export interface SemaTool<Input = any, Output = any> {
  readonly name: string;
  readonly description?: string | (() => string);
  readonly inputSchema: InputSchema;
  /** Read-only calls run concurrently, and nobody is asked about them. */
  isReadOnly(): boolean;
  isEnabled?(): boolean;
  isDestructive?(): boolean;
  /** True: the calls are independent of each other and of other calls, although the tool isn't read-only. */
  canRunConcurrently?(): boolean;
  /** True: the tool also gives a result when `abortController` stops it, and that result is kept. */
  supportsInterrupt?(): boolean;
  /**
   * Ours. True: the tool reaches the network. Then a person is asked about its calls even if it is read-only, and its
   * results count as text from outside. Left out: false.
   */
  isOpenWorld?(): boolean;
  /** Any answer without `result: true` refuses the input. */
  validateInput?(
    input: Input,
    context: SemaAgentContext,
  ): Promise<{ readonly result: boolean; readonly message?: string; readonly errorCode?: number }>;
  genResultForAssistant(output: Output): ToolResultContent;
  genToolPermission?(input: Input): PermissionDisplay;
  genToolResultMessage?(output: Output, input?: Input): ResultDisplay;
  getDisplayTitle?(input?: Input): string;
  call(input: Input, context: SemaCallContext): AsyncIterable<SemaYield<Output>>;
}

/** The form in which Sema Core has renamed two members. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export interface NewerSemaTool<Input = any, Output = any> extends Omit<
  SemaTool<Input, Output>,
  'inputSchema' | 'isReadOnly'
> {
  readonly toolParams: InputSchema;
  isSafe(): boolean;
}

type AnySemaTool = SemaTool | NewerSemaTool;

/** The output of such a tool's call as data, with the text for the model if the tool has given one. */
export interface SemaOutput<Output = unknown> {
  readonly data: Output;
  readonly resultForAssistant?: ToolResultContent;
}

/**
 * Converts the tool to one of ours, for `options.tools`. A call ends at its first `result`; a call without a result
 * is an error. An abort closes the generator, except for a tool with `supportsInterrupt`.
 */
export function adaptTool(given: AnySemaTool): Tool {
  const { name } = given;
  const isReadOnly = () => ('isSafe' in given ? given.isSafe() : given.isReadOnly());
  return buildTool({
    name,
    get inputSchema() {
      return 'toolParams' in given ? given.toolParams : given.inputSchema;
    },
    description: (input) => Promise.resolve(input ? describeCall(given, input) : describe(given)),
    prompt: () => Promise.resolve(''),
    isReadOnly,
    isConcurrencySafe: () => isReadOnly() || (given.canRunConcurrently?.() ?? false),
    isEnabled: () => given.isEnabled?.() ?? true,
    isDestructive: () => given.isDestructive?.() ?? false,
    isOpenWorld: () => given.isOpenWorld?.() ?? false,
    get keepsPartialResult() {
      return given.supportsInterrupt?.() ?? false;
    },
    toAutoClassifierInput: (input) => input,
    ...(given.validateInput && {
      validateInput: async (input: unknown, context: ToolUseContext): Promise<ValidationResult> => {
        const verdict = await given.validateInput?.(input, toAgentContext(context));
        // Security: everything except `true` refuses, also for a tool in plain JavaScript.
        if (verdict?.result === true) return { result: true };
        const { message = 'The tool refuses this input.', errorCode = 0 } = verdict ?? {};
        return { result: false, message, errorCode };
      },
    }),
    ...(given.genToolPermission && {
      genToolPermission: (input: unknown) => genPermission(given, input),
    }),
    ...(given.genToolResultMessage && {
      genToolResultMessage: ({ data }: SemaOutput, input?: unknown) =>
        genResult(given, data, input),
    }),
    ...(given.getDisplayTitle && {
      getDisplayTitle: (input?: unknown) => given.getDisplayTitle?.(input) ?? name,
    }),
    async call(input, context, _canUseTool, _parentMessage, onProgress) {
      return await runToResult(given, input, context, onProgress);
    },
    mapToolResultToToolResultBlockParam: ({ data, resultForAssistant }, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: resultForAssistant ?? given.genResultForAssistant(data),
    }),
  } satisfies ToolDef<InputSchema, SemaOutput>) as unknown as Tool;
}

async function runToResult(
  tool: AnySemaTool,
  input: unknown,
  context: CallContext,
  onProgress: ((progress: unknown) => void) | undefined,
): Promise<ToolResult<SemaOutput>> {
  const { signal } = context.abortController;
  const iterator = tool.call(input, toAgentContext(context))[Symbol.asyncIterator]();
  const close = () => closeIterator(iterator);
  // A tool with `supportsInterrupt` ends by itself. If it hangs, it is abandoned after the grace period.
  if (!tool.supportsInterrupt?.()) signal.addEventListener('abort', close, { once: true });
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done) throw new ToolError(`${tool.name} ended without a result. Try another way.`);
      const value: SemaYield<unknown> | undefined = next.value;
      if (value?.type === 'progress') onProgress?.(value.data);
      else if (value?.type === 'result') return toResult(value);
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function toResult({ data, resultForAssistant, additionalBlocks: content }: SemaResult) {
  return {
    data: { data, ...(resultForAssistant !== undefined && { resultForAssistant }) },
    ...(content && content.length > 0 && { newMessages: [{ role: 'user', content }] as const }),
  };
}

function toAgentContext<Context extends ToolUseContext>(
  context: Context,
): Context & SemaAgentContext {
  return {
    ...context,
    agentId: context.agentId ?? 'main',
    currentToolUseID: context.toolUseID ?? '',
  };
}

/** The description may be a string, a function, or missing; then the name is used. */
function describe({ name, description = name }: AnySemaTool): string {
  return typeof description === 'string' ? description : description();
}

function describeCall(tool: AnySemaTool, input: unknown): string {
  return tool.genToolPermission ? genPermission(tool, input).title : describe(tool);
}

function genPermission(tool: AnySemaTool, input: unknown): PermissionDisplay {
  const shown = tool.genToolPermission?.(input) ?? { title: '', content: '' };
  // In Sema Core an empty title means the name.
  return { ...shown, title: shown.title || tool.name };
}

function genResult(tool: AnySemaTool, data: unknown, input: unknown): ResultDisplay {
  const shown = tool.genToolResultMessage?.(data, input);
  return {
    title: shown?.title || tool.name,
    summary: shown?.summary ?? '',
    content: shown?.content ?? '',
  };
}
