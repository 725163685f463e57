// Tools written for Sema Core, as tools of ours. The only file that knows the forms in which the two
// differ; what they share is carried over as it is. Offered under `rockpool/sema`.
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

/** What Sema Core hands to a tool, as far as it means something here. */
export interface SemaAgentContext extends ToolUseContext {
  /** The sub-agent's id; `main` for the session's own agent. */
  readonly agentId: string;
  readonly currentToolUseID: string;
}

/** The same while the call runs. Files and other tools are reached by it: there is no file system around it. */
export interface SemaCallContext extends SemaAgentContext, Pick<CallContext, 'fs' | 'callTool'> {
  readonly toolUseID: string;
}

/** What a call yields. Whatever else it yields is passed over. */
export type SemaYield<Output> =
  | {
      readonly type: 'result';
      readonly data: Output;
      /** In the place of `genResultForAssistant`. */
      readonly resultForAssistant?: ToolResultContent;
      /** For the model, after the results of all calls of the same message. */
      readonly additionalBlocks?: readonly UserBlock[];
    }
  /** Ours: shown while the call runs. */
  | { readonly type: 'progress'; readonly data: unknown };

type SemaResult = Extract<SemaYield<unknown>, { type: 'result' }>;

/** A tool as Sema Core has it. Its input is checked by its schema as ours are. */
// oxlint-disable-next-line typescript/no-explicit-any -- inference: a tool of any input is one
export interface SemaTool<Input = any, Output = any> {
  readonly name: string;
  readonly description?: string | (() => string);
  readonly inputSchema: InputSchema;
  /** Read-only calls run beside each other, and aren't asked about. */
  isReadOnly(): boolean;
  isEnabled?(): boolean;
  isDestructive?(): boolean;
  /** Though it isn't read-only, its calls are independent of each other, and of those beside them. */
  canRunConcurrently?(): boolean;
  /** It gives a result also when it is stopped, by `abortController`, and that is then kept. */
  supportsInterrupt?(): boolean;
  /**
   * Ours: it reaches the network. Its calls are then asked about also where it is read-only, and its
   * results count as text from outside. Left out: it doesn't.
   */
  isOpenWorld?(): boolean;
  /** What isn't `result: true` refuses the input. */
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

/** The same with the names that Sema Core has since given to two of its members. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export interface NewerSemaTool<Input = any, Output = any> extends Omit<
  SemaTool<Input, Output>,
  'inputSchema' | 'isReadOnly'
> {
  readonly toolParams: InputSchema;
  isSafe(): boolean;
}

type AnySemaTool = SemaTool | NewerSemaTool;

/** What such a tool's call returns as data: with what the model is told instead, where that is said. */
export interface SemaOutput<Output = unknown> {
  readonly data: Output;
  readonly resultForAssistant?: ToolResultContent;
}

/**
 * The tool as one of ours, for `options.tools`. A call ends at its first `result`; one that ends without
 * any is an error. An abort closes the generator, but for a tool that `supportsInterrupt`.
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
        // Security: what isn't a yes is a no, also of a tool without types.
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
  // One that can be interrupted is left to end by itself: what hangs is abandoned all the same.
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

/** A plain string, a function, or nothing: then the name. */
function describe({ name, description = name }: AnySemaTool): string {
  return typeof description === 'string' ? description : description();
}

function describeCall(tool: AnySemaTool, input: unknown): string {
  return tool.genToolPermission ? genPermission(tool, input).title : describe(tool);
}

function genPermission(tool: AnySemaTool, input: unknown): PermissionDisplay {
  const shown = tool.genToolPermission?.(input) ?? { title: '', content: '' };
  // Sema Core leaves the title empty where it means the name.
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
