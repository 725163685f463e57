// Runs a call by an app or the browser's agent, and not by the model or its code. It passes all
// stages, and belongs to no turn of the conversation. Used by ask-mcp-app.ts and offer-tools.ts.
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

/** A call from outside the conversation. */
export interface OutsideCall {
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  /** The tools that such callers may call. */
  readonly tools: KnownTools;
  /** The call under which viewers show this one. */
  readonly asking: { readonly id: string; readonly name: string };
  /** The tool on whose behalf the call is made: see permissions/principal.ts. */
  readonly requester: Tool;
  /** See `AppOrigin`. */
  readonly refuse?: AppOrigin['refuse'];
}

/** Never rejects, like `runCall`. `signal`: aborted when nobody waits for the call any more. */
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
        // A copy: the model hasn't seen what these calls read. They may change files that the model
        // has seen.
        readFileState: new Map(session.readFileState.entries()),
        // The caller gets the result. If it is added to the conversation, the session is tainted
        // then.
        onOutside: () => undefined,
      },
      {
        session,
        hooks: session.hooks,
        pool: toPool(session, tools),
        // Stopping this call's turn stops nothing else.
        turn: createCallTurn(controller.signal, () => controller.abort()),
        signal: controller.signal,
      },
    );
  } finally {
    controller[Symbol.dispose]();
  }
}

/** A parent message is created, because the model's message may be gone, or there was none. */
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
