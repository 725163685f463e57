// Offers tools of a session to the browser's agent by `document.modelContext` (WebMCP). That
// agent's calls pass all stages, with the principal `page`. query.ts calls it. Only a page has such
// a context.
import { toResultText } from '../../core/messages/blocks.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { classifyCall } from '../calls/classify-call.ts';
import { browserAgent } from '../permissions/principal.ts';
import { assembleToolPool } from '../registry/assemble.ts';
import { toToolParam } from '../registry/to-tool-param.ts';
import { runOutsideCall } from './run-outside-call.ts';
import { toPoolContext } from '../session/session.ts';
import type { Session } from '../session/session.ts';

/** The tools to offer, and the context to which they are offered. */
export interface OfferToolsOptions {
  /** Names of the tools, as the model calls them. */
  readonly names: readonly string[];
  /** The context, such as a polyfill's. @defaultValue `document.modelContext` */
  readonly modelContext?: OfferingContext;
}

/** The part of `document.modelContext` that is used. */
export interface OfferingContext {
  registerTool(tool: unknown, options: { readonly signal: AbortSignal }): unknown;
}

/**
 * Resolves when all tools are offered. Disposing the returned object withdraws them. `signal`,
 * which is aborted with the query, does so too. `open` gives the query's session, which `/clear`
 * replaces.
 */
export async function offerTools(
  open: () => Promise<Session>,
  { names, modelContext = findModelContext() }: OfferToolsOptions,
  signal: AbortSignal,
): Promise<Disposable> {
  const session = await open();
  const chosen = await Promise.all(names.map((name) => findTool(session, name)));
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    for (const tool of chosen) {
      const { name, description, input_schema: inputSchema } = await toToolParam(tool);
      await modelContext.registerTool(
        {
          name,
          description,
          inputSchema,
          // The contents of files, pages and servers' answers come from outside.
          annotations: { readOnlyHint: isReader(tool), untrustedContentHint: true },
          execute: (input: unknown) => run(open, name, input, ending.signal),
        },
        { signal: ending.signal },
      );
    }
  } catch (error) {
    end();
    throw error;
  }
  return {
    [Symbol.dispose]() {
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

function findModelContext(): OfferingContext {
  const { document } = globalThis as {
    readonly document?: { readonly modelContext?: OfferingContext };
  };
  if (document?.modelContext) return document.modelContext;
  throw new SdkError(
    'unsupported-environment',
    'There is no document.modelContext here: use a browser that has WebMCP, or give a polyfill as modelContext.',
  );
}

async function findTool(session: Session, name: string): Promise<Tool> {
  const { builtIn, others } = assembleToolPool(toPoolContext(session));
  const known = [...builtIn, ...others].find((tool) => tool.name === name);
  if (!known) {
    throw new SdkError('bad-usage', `The session has no tool ${name} to offer.`, {
      data: { toolName: name },
    });
  }
  const tool = isListedTool(known) ? await known.load() : known;
  // Security: a built-in tool that runs on the agent's thread acts with the agent's permissions.
  const actsForAgent = tool.call !== undefined && builtIn.includes(known);
  if (actsForAgent || tool.callsTools || tool.requiresUserInteraction?.()) {
    throw new SdkError(
      'bad-usage',
      `${name} can't be offered: it runs code, acts for the session's agent, or needs a person at this page. Offer the tools that it would call.`,
      { data: { toolName: name } },
    );
  }
  return tool;
}

/** True if the tool only reads, judged by an empty input. */
const isReader = (tool: Tool) => classifyCall(tool, {}).isReadOnly;

const isAtWork = ({ journal: { fold } }: Session) => fold.turn && !fold.turn.isPutOff;

/** Runs the call and gives the result in the form of MCP. */
async function run(
  open: () => Promise<Session>,
  name: string,
  given: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const session = await open();
  // Found anew: the tool of a server may be another one by now.
  const tool = await findTool(session, name).catch(messageOf);
  if (typeof tool === 'string') return toText(tool, true);
  const input = isRecord(given) ? given : {};
  // A call that must run alone would interrupt the agent's own calls.
  const refuse = (isConcurrencySafe: boolean) =>
    isAtWork(session) && !isConcurrencySafe
      ? `The agent is at work. Call ${tool.name} again when it rests.`
      : undefined;
  // A call that is refused now causes no question. A turn may begin while a question is open.
  const refusal = refuse(classifyCall(tool, input).isConcurrencySafe);
  if (refusal !== undefined) return toText(refusal, true);
  const { settled } = await runOutsideCall(
    session,
    {
      tool,
      input,
      tools: [tool],
      asking: { id: createId(), name: browserAgent.name },
      requester: browserAgent,
      refuse: ({ traits }) => refuse(traits.isConcurrencySafe),
    },
    signal,
  );
  // Security: a person's or a rule's reason for a denial isn't given to the browser's agent.
  if (settled.denial) return toText('It was refused.', true);
  return toText(toResultText(settled.result), settled.state !== 'output-available');
}

function toText(text: string, isError: boolean): unknown {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}
