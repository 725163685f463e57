// Tools written for Sema Core, as tools of ours. The only file that knows the forms in which the two
// differ; what they share is carried over as it is. Offered under `rockpool/sema`.
import { buildTool } from '../../core/build-tool.ts';
import type { ToolDef } from '../../core/build-tool.ts';
import type { ToolUseContext } from '../../core/context.ts';
import { closeIterator } from '../../core/close-iterator.ts';
import { ToolError } from '../../core/errors.ts';
import type {
  InputSchema,
  PermissionDisplay,
  ResultDisplay,
  Tool,
  ValidationResult,
} from '../../core/tool.ts';

/** What Sema Core hands to a tool, as far as it means something here. */
export interface SemaAgentContext extends ToolUseContext {
  /** There are no sub-agents yet. */
  readonly agentId: 'main';
  readonly currentToolUseID: string;
}

/** What a call yields. Whatever else it yields is passed over. */
export type SemaYield<Output> =
  | {
      readonly type: 'result';
      readonly data: Output;
      /** In the place of `genResultForAssistant`. */
      readonly resultForAssistant?: string;
    }
  /** Ours: shown while the call runs. */
  | { readonly type: 'progress'; readonly data: unknown };

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
  genResultForAssistant(output: Output): string;
  genToolPermission?(input: Input): PermissionDisplay;
  genToolResultMessage?(output: Output, input?: Input): ResultDisplay;
  getDisplayTitle?(input?: Input): string;
  call(input: Input, context: SemaAgentContext): AsyncIterable<SemaYield<Output>>;
}

/** What such a tool's call returns as data: with what the model is told instead, where that is said. */
export interface SemaOutput<Output = unknown> {
  readonly data: Output;
  readonly resultForAssistant?: string;
}

/**
 * The tool as one of ours, for `options.tools`. A call ends at its first `result`; one that ends without
 * any is an error. An abort closes the generator.
 */
export function adaptTool(given: SemaTool): Tool {
  const { name } = given;
  return buildTool({
    name,
    get inputSchema() {
      return given.inputSchema;
    },
    description: (input) => Promise.resolve(input ? describeCall(given, input) : describe(given)),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => given.isReadOnly(),
    isConcurrencySafe: () => given.isReadOnly(),
    isEnabled: () => given.isEnabled?.() ?? true,
    isDestructive: () => given.isDestructive?.() ?? false,
    isOpenWorld: () => given.isOpenWorld?.() ?? false,
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
      const data = await runToResult(given, input, context, onProgress);
      return { data };
    },
    mapToolResultToToolResultBlockParam: ({ data, resultForAssistant }, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: resultForAssistant ?? given.genResultForAssistant(data),
    }),
  } satisfies ToolDef<InputSchema, SemaOutput>) as unknown as Tool;
}

async function runToResult(
  tool: SemaTool,
  input: unknown,
  context: ToolUseContext,
  onProgress: ((progress: unknown) => void) | undefined,
): Promise<SemaOutput> {
  const { signal } = context.abortController;
  const iterator = tool.call(input, toAgentContext(context))[Symbol.asyncIterator]();
  const close = () => closeIterator(iterator);
  signal.addEventListener('abort', close, { once: true });
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done) throw new ToolError(`${tool.name} ended without a result. Try another way.`);
      const value: SemaYield<unknown> | undefined = next.value;
      if (value?.type === 'progress') onProgress?.(value.data);
      else if (value?.type === 'result') return toOutput(value);
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function toOutput({ data, resultForAssistant }: SemaOutput): SemaOutput {
  return { data, ...(resultForAssistant !== undefined && { resultForAssistant }) };
}

function toAgentContext(context: ToolUseContext): SemaAgentContext {
  return { ...context, agentId: 'main', currentToolUseID: context.toolUseID ?? '' };
}

/** A plain string, a function, or nothing: then the name. */
function describe({ name, description = name }: SemaTool): string {
  return typeof description === 'string' ? description : description();
}

function describeCall(tool: SemaTool, input: unknown): string {
  return tool.genToolPermission ? genPermission(tool, input).title : describe(tool);
}

function genPermission(tool: SemaTool, input: unknown): PermissionDisplay {
  const shown = tool.genToolPermission?.(input) ?? { title: '', content: '' };
  // Sema Core leaves the title empty where it means the name.
  return { ...shown, title: shown.title || tool.name };
}

function genResult(tool: SemaTool, data: unknown, input: unknown): ResultDisplay {
  const shown = tool.genToolResultMessage?.(data, input);
  return {
    title: shown?.title || tool.name,
    summary: shown?.summary ?? '',
    content: shown?.content ?? '',
  };
}
