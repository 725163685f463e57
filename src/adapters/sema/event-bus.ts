// Sema Core's events about calls, on a host's own bus. A question is published as an event, and its answer arrives
// as one. The end of each call is an event, too. Exported by `rockpool/sema`.
import { createAbortError } from '../../core/async/abort.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
} from '../../core/permissions/permission.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { PermissionDisplay, ResultDisplay, Tools } from '../../core/tool/tool.ts';
import type { HooksOption } from '../../agent/hooks/hooks.ts';

/** The methods of an event bus that are used. Node's `EventEmitter` has them, and most others do. */
export interface EventBus {
  emit(event: string, data: unknown): unknown;
  on(event: string, listener: (data: unknown) => void): unknown;
  off(event: string, listener: (data: unknown) => void): unknown;
}

interface CallEvent {
  /** The sub-agent's id; `main` for the session's main agent. */
  readonly agentId: string;
  readonly toolId: string;
  readonly toolName: string;
}

/** `tool:permission:request`. `options`: the possible answers, and their labels. */
export interface ToolPermissionRequest extends CallEvent, PermissionDisplay {
  readonly options: { readonly agree: string; readonly allow?: string; readonly refuse: string };
}

/**
 * `tool:permission:response`. `agree` allows this call. `allow` also sets the rules that the question suggests.
 * `refuse` refuses. Any other text refuses, and tells the model what to do instead.
 */
export interface ToolPermissionResponse {
  readonly toolId: string;
  readonly selected: string;
}

/** `tool:execution:complete`: the call has run, and its changes are kept. */
export interface ToolExecutionComplete extends CallEvent, ResultDisplay {}

/**
 * `tool:execution:error`: the call ran and failed, or was cut. `content` is the text that the model got. A call that
 * was refused or deferred, or had a wrong input, never ran, so it has no such event.
 */
export interface ToolExecutionError extends CallEvent {
  readonly title: string;
  readonly content: string;
}

/**
 * Connects a query with the bus: spread the result into the options. `tools` are used to describe calls: pass
 * `await host.loadTools()` and the query's own tools. The connection emits `tool:permission:request`,
 * `tool:execution:complete` and `tool:execution:error`, and no other event of Sema Core. It listens to
 * `tool:permission:response`. A question without an answer stays open until its turn is stopped. If a listener
 * throws, the question is refused.
 */
export function connectEventBus(
  bus: EventBus,
  tools: Tools,
): { readonly canUseTool: CanUseTool; readonly hooks: HooksOption } {
  return {
    canUseTool: (toolName, input, options) => ask(bus, tools, toolName, input, options),
    hooks: {
      PostToolUse: [
        {
          hooks: [
            async ({
              agent_id: agentId = 'main',
              tool_name: toolName,
              tool_use_id: toolId,
              tool_input,
              tool_response,
            }) => {
              const display = showResult(tools, toolName, tool_response, tool_input);
              const event: ToolExecutionComplete = {
                agentId,
                toolId,
                toolName,
                ...display,
              };
              bus.emit('tool:execution:complete', event);
              return {};
            },
          ],
        },
      ],
      PostToolUseFailure: [
        {
          hooks: [
            async ({
              agent_id: agentId = 'main',
              tool_name: toolName,
              tool_use_id: toolId,
              error: content,
            }) => {
              const shared = { agentId, toolId, toolName } as const;
              const event: ToolExecutionError = { ...shared, title: toolName, content };
              bus.emit('tool:execution:error', event);
              return {};
            },
          ],
        },
      ],
    },
  };
}

function ask(
  bus: EventBus,
  tools: Tools,
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
): Promise<PermissionResult | null> {
  const { signal, toolUseID: toolId, suggestions = [], agentID: agentId = 'main' } = options;
  return new Promise((resolve, reject) => {
    const stop = () => {
      bus.off('tool:permission:response', hear);
      signal.removeEventListener('abort', withdraw);
    };
    const hear = (data: unknown) => {
      const { toolId: answered, selected } = (data ?? {}) as Partial<ToolPermissionResponse>;
      if (answered !== toolId || typeof selected !== 'string') return;
      stop();
      resolve(toResult(selected, options));
    };
    const withdraw = () => {
      stop();
      reject(createAbortError(signal.reason));
    };
    if (signal.aborted) return withdraw();
    signal.addEventListener('abort', withdraw, { once: true });
    const request: ToolPermissionRequest = {
      ...{ agentId, toolId, toolName },
      ...showQuestion(tools, toolName, input, options),
      options: {
        agree: 'Yes',
        ...(suggestions.length > 0 && { allow: 'Yes, and do not ask again in this session' }),
        refuse: 'No',
      },
    };
    try {
      // Listens before it emits the question, because a listener may answer at once.
      bus.on('tool:permission:response', hear);
      bus.emit('tool:permission:request', request);
    } catch (error) {
      // The listener that threw may be the one that should have answered.
      stop();
      reject(error);
    }
  });
}

function toResult(selected: string, { suggestions = [] }: CanUseToolOptions): PermissionResult {
  if (selected === 'agree') return { behavior: 'allow' };
  if (selected === 'allow') return { behavior: 'allow', updatedPermissions: suggestions };
  const message = selected === 'refuse' || selected.trim() === '' ? '' : selected;
  return { behavior: 'deny', message: message && `The user said no: ${message}` };
}

/** The tool's description of the call, if it has one and doesn't throw. For changes, the question's own text. */
function showQuestion(
  tools: Tools,
  toolName: string,
  input: Record<string, unknown>,
  { title = toolName, description = '', changes }: CanUseToolOptions,
): PermissionDisplay {
  const plain = { title, content: changes ? { changes } : description };
  if (changes) return plain;
  try {
    return findToolByName(tools, toolName)?.genToolPermission?.(input) ?? plain;
  } catch {
    return plain;
  }
}

function showResult(
  tools: Tools,
  toolName: string,
  output: unknown,
  input: unknown,
): ResultDisplay {
  const plain = { title: toolName, summary: '', content: toContent(output) };
  try {
    const tool = findToolByName(tools, toolName);
    const given = input as Record<string, unknown>;
    return tool?.genToolResultMessage?.(output, given) ?? plain;
  } catch {
    return plain;
  }
}

function toContent(output: unknown): string | Record<string, unknown> {
  if (typeof output === 'string') return output;
  return isRecord(output) ? output : (JSON.stringify(output) ?? '');
}
