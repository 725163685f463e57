// Runs a call that neither the model nor its code makes, but an app or the browser's agent. It
// passes all stations, and belongs to no turn of the conversation. ask-mcp-app.ts and
// offer-tools.ts run such calls.
import { createChildController } from '../../core/async/abort.ts';
import { createId } from '../../core/ids.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { AppOrigin } from '../calls/call-origin.ts';
import { runCall } from '../calls/run-call.ts';
import type { EndedCall } from '../calls/run-call.ts';
import { createCallTurn } from '../calls/turn.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { Session } from '../session/session.ts';

/** A call from outside of the conversation. */
export interface OutsideCall {
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  /** The tools that such callers may call. */
  readonly tools: KnownTools;
  /** The call below which viewers show this one. */
  readonly asking: { readonly id: string; readonly name: string };
  /** The tool in whose name the call is made: see permissions/principal.ts. */
  readonly requester: Tool;
  /** See `AppOrigin`. */
  readonly refuse?: AppOrigin['refuse'];
}

/** Never rejects, as `runCall`. `signal`: aborted when nobody waits for the call any more. */
export async function runOutsideCall(
  session: Session,
  { tool, input, tools, asking, requester, refuse }: OutsideCall,
  signal: AbortSignal,
): Promise<EndedCall> {
  const controller = createChildController(signal);
  const toolUse = { ...asking, input: {}, index: 0 };
  try {
    return await runCall(
      { id: createId(), name: tool.name, input, index: 0 },
      {
        type: 'app',
        outer: { toolUse, tool: requester },
        parentMessage: toParentMessage(asking),
        tools,
        depth: 1,
        ...(refuse && { refuse }),
        // The model hasn't seen what these calls read. They may change whatever the model has seen.
        readFileState: new Map(session.readFileState.entries()),
        // The caller gets the result. If the model is told of it, that taints.
        onOutside: () => undefined,
      },
      {
        session,
        hooks: session.hooks,
        pool: toPool(session, tools),
        // A stop of this call's turn stops nothing else.
        turn: createCallTurn(controller.signal, () => controller.abort()),
        signal: controller.signal,
      },
    );
  } finally {
    controller[Symbol.dispose]();
  }
}

/** The model's message may be long gone, or there was none, so one is made up. */
function toParentMessage({ id, name }: OutsideCall['asking']): AssistantMessage {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'tool_use', id, name, input: {} }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

function toPool({ permissions, place }: Session, tools: KnownTools): Pool {
  return {
    tools,
    insideOnly: [],
    prefix: [],
    steady: [],
    loaded: [],
    referred: [],
    unloaded: [],
    promptOptions: { permissionContext: permissions.current(), tools: [], cwd: place.cwd },
    asReferences: false,
  };
}
