// Tools that a page and its frames offer to agents through `document.modelContext` (WebMCP), as a
// connection like that of an MCP server. It runs on the page, the only place that can access them.
// Loaded for the first `webmcp` server.
import { createAbortError, untilAborted } from '../../../core/async/abort.ts';
import { inTime } from '../../../core/async/in-time.ts';
import { SdkError, messageOf } from '../../../core/errors.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { toPlainText } from '../../../core/text/plain-text.ts';
import type { AskMcpServer } from '../../../core/mcp/mcp-exchange.ts';
import type { McpWebServerConfig, WebModelContext } from '../../../core/mcp/mcp-server.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import { parseJson } from '../../../core/text/parse-json.ts';
import { defaultBounds } from '../../../mcp/client/bounds.ts';
import type { McpBounds } from '../../../mcp/client/bounds.ts';
import type { Connect, Connection, Offer } from '../../../mcp/client/connection.ts';
import { readTools } from '../../../mcp/client/read-offer.ts';

/** `ownOrigin` is the page's origin, whose tools count as the host's own. */
export function createWebConnect(
  clock: Clock,
  givenBounds: Partial<McpBounds> = {},
  ownOrigin: string = globalThis.location?.origin,
): Connect {
  const bounds = { ...defaultBounds, ...givenBounds };
  return async (given, listeners, signal): Promise<Connection> => {
    const config = given as McpWebServerConfig;
    const context = config.modelContext ?? findModelContext();
    let tools = new Map<string, unknown>();
    let isOpen = true;

    async function list(): Promise<Offer> {
      const { fromOrigins = [] } = config;
      const listed = await context.getTools(fromOrigins.length > 0 ? { fromOrigins } : {});
      const raw = listed.filter(isRecord);
      const read = readTools(raw.map(toListed), bounds);
      // Security: of several tools with one name the first valid one counts, as in readTools,
      // because that one is shown to a person.
      const usable = raw.filter((tool) => readTools([toListed(tool)], bounds).tools.length > 0);
      tools = new Map(usable.toReversed().map((tool) => [String(tool['name']), tool]));
      return {
        name: 'webmcp',
        version: '',
        instructions: '',
        tools: read.tools.map((tool) => ({
          ...tool,
          annotations: {
            ...tool.annotations,
            isInside: isInside(tools.get(tool.name), ownOrigin),
          },
        })),
        extras: { hasResources: false, hasSkills: false, prompts: [] },
        problems: read.problems,
      };
    }

    const cut = createAbortError('The connection was given up.');
    let offer = await within(list(), { clock, ms: bounds.connectMs, signal, cut });
    let listing: Promise<void> = Promise.resolve();
    /** Lists the tools again, one listing at a time, so that the last one is the newest. */
    const listAnew = () => {
      listing = listing.then(async () => {
        if (!isOpen) return;
        try {
          offer = await list();
          if (isOpen) listeners.onOffer(offer);
        } catch (error) {
          if (isOpen) listeners.onLost(toFailure(error));
          close();
        }
      });
    };
    context.addEventListener('toolchange', listAnew);
    const close = () => {
      isOpen = false;
      context.removeEventListener('toolchange', listAnew);
    };

    return {
      isLegacy: false,
      get offer() {
        return offer;
      },
      async call(toolName, input, { signal: ending, timeoutMs = bounds.callMs }) {
        const tool = tools.get(toolName);
        if (!isOpen || tool === undefined) {
          throw failed(`The page doesn't offer ${toPlainText(toolName, 100)} any more.`);
        }
        const why = createAbortError('The call was cut.');
        // Chrome used strings for arguments up to version 153. The schema is a string there, too.
        const isText = isRecord(tool) && typeof tool['inputSchema'] === 'string';
        const given_ = isText ? JSON.stringify(input) : { ...input };
        const calling = context.executeTool(tool, given_, { signal: ending });
        const output = within(calling, { clock, ms: timeoutMs, signal: ending, cut: why });
        return toResult(await output, bounds.messageBytes);
      },
      follow: () => Promise.reject(failed('A page has no tasks.')),
      ask: (() => Promise.reject(failed('A page offers tools alone.'))) as unknown as AskMcpServer,
      close: () => Promise.resolve(close()),
    };
  };
}

function findModelContext(): WebModelContext {
  const { modelContext } = document as { readonly modelContext?: WebModelContext };
  if (modelContext) return modelContext;
  throw failed(
    'This browser has no document.modelContext: use one that has WebMCP, or give the server a polyfill as modelContext.',
  );
}

/** Converts a tool to MCP's form. In Chrome up to 153 the schema is a string. */
function toListed(tool: Readonly<Record<string, unknown>>): unknown {
  const { name, description, inputSchema, title } = tool;
  const hints = isRecord(tool['annotations']) ? tool['annotations'] : {};
  return {
    name,
    description,
    inputSchema: toSchema(inputSchema),
    annotations: {
      title,
      readOnlyHint: hints['readOnlyHint'],
      destructiveHint: hints['consequentialHint'],
    },
  };
}

function toSchema(given: unknown): unknown {
  const schema = typeof given === 'string' ? parseJson(given || '{}') : (given ?? {});
  // A schema without a type accepts an object.
  return isRecord(schema) && schema['type'] === undefined ? { ...schema, type: 'object' } : schema;
}

/**
 * Security: output of a tool of another origin, or of one that the page doesn't vouch for, is text
 * from outside.
 */
function isInside(tool: unknown, ownOrigin: string): boolean {
  const { origin, annotations } = isRecord(tool) ? tool : {};
  const hints = isRecord(annotations) ? annotations : {};
  return (origin === undefined || origin === ownOrigin) && hints['untrustedContentHint'] !== true;
}

/** Converts a tool's output, which may be an MCP result or any value; other values become text. */
function toResult(output: unknown, maxChars: number): unknown {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null');
  if (text.length > maxChars) {
    throw new SdkError(
      'limit-exceeded',
      `The tool gave ${text.length} characters, and may give ${maxChars}.`,
      { data: { chars: text.length } },
    );
  }
  const value = typeof output === 'string' ? (parseJson(output) ?? output) : output;
  if (isRecord(value) && Array.isArray(value['content'])) return value;
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : text }] };
}

interface Ending {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Rejects with it where the signal is aborted. */
  readonly cut: Error;
}

/** Waits for the page's own code, which may never answer. */
async function within<Value>(
  work: Promise<Value>,
  { clock, ms, signal, cut }: Ending,
): Promise<Value> {
  const late = () => failed(`The page took longer than ${ms / 1000} s.`);
  try {
    return await inTime(untilAborted(work, signal), ms, late, clock);
  } catch (error) {
    throw signal.aborted ? cut : toFailure(error);
  }
}

function toFailure(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const why = messageOf(error);
  return failed(toPlainText(why, 500));
}

function failed(message: string): SdkError {
  return new SdkError('mcp-failed', message);
}
