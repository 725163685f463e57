// Connects to one remote server with the protocol's client. In a page it runs in the MCP worker;
// inline and at the edge it runs on the agent's thread. It supports the protocol of 2026-07-28 and
// earlier ones.
import {
  Client,
  InsufficientScopeError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { StandardSchemaV1, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { createAbortError, untilAborted } from '../../core/async/abort.ts';
import { SdkError, messageOf } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';
import type { McpRemoteServerConfig } from '../../core/mcp/mcp-server.ts';
import { VERSION } from '../../core/version.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { McpBounds } from './bounds.ts';
import { createChangeStream } from './change-stream.ts';
import { tasksExtension } from './connection.ts';
import type {
  CallOptions,
  Connection,
  ConnectionListeners,
  Offer,
  OfferedTool,
} from './connection.ts';
import { toPlainText } from '../../core/text/plain-text.ts';
import type { RealmLogins } from './login/create-logins.ts';
import { openTransport } from './open-transport.ts';
import { readTools } from './read-offer.ts';
import { startCallClock } from './call-clock.ts';
import type { CallClock } from './call-clock.ts';
import {
  answerServer,
  createServerAnswers,
  toCapabilities,
  toElicitation,
} from './server-questions.ts';
import { createServerRequests, readExtras } from './server-requests.ts';
import type { ServerTasks } from './server-tasks.ts';

/** The parts of a realm that reach servers. */
export interface ClientRealm {
  readonly fetch: FetchPort;
  readonly bounds: McpBounds;
  /** Left out: this realm has no logins, so a server that requires one fails with that reason. */
  readonly logins?: RealmLogins;
}

/**
 * Resolves when the server has answered and its tools are listed.
 *
 * @throws SdkError `mcp-failed`, with `data.needsAuth` if the server requires a login;
 * `limit-exceeded`; `aborted`
 */
export async function connectServer(
  config: McpRemoteServerConfig,
  listeners: ConnectionListeners,
  signal: AbortSignal,
  { fetch: port, bounds, logins }: ClientRealm,
  era: 'auto' | 'legacy' = 'auto',
): Promise<Connection> {
  const fetch = createBoundedFetch(port, bounds.messageBytes, (error, requestBody) => {
    tooLong = error;
    if (!isOpen) return;
    // A broken stream gives no answer, so the waiting request is rejected here at once.
    const id = readId(requestBody);
    if (id !== undefined)
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: 0, message: error.message } });
    // In the older form all answers come on one stream.
    else if (config.type === 'sse') void client.close().catch(() => undefined);
    else tooLong = undefined;
  });
  let tooLong: SdkError | undefined;
  let isOpen = false;
  const clocks = new Set<CallClock>();
  const capabilities = toCapabilities(listeners.abilities);
  const client = new Client(
    { name: 'rockpool', version: VERSION },
    {
      // Only definite answers decide the protocol version, because there are servers of both kinds.
      versionNegotiation: { mode: 'auto' },
      // Security: a server's regular expression could block this thread forever.
      jsonSchemaValidator: acceptsAll,
      inputRequired: { maxRounds: bounds.inputRounds },
      capabilities,
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => void listAnew() },
        prompts: { autoRefresh: false, onChanged: () => void listAnew() },
        resources: {
          autoRefresh: false,
          onChanged: () => listeners.onEvent({ type: 'resources-changed' }),
        },
      },
    },
  );
  const answers = createServerAnswers(listeners, clocks);
  const askings = new Map<string, () => void>();
  answerServer(client, listeners, answers, askings);
  const transport = openTransport(config, { fetch, maxBytes: bounds.messageBytes, logins });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(bounds.connectMs)]);
  let offer: Offer;
  try {
    // The client's own abort comes late if a body arrives slowly.
    await untilAborted(client.connect(transport, { signal: deadline, ...toPrior(era) }), deadline);
    offer = await listOffer(deadline);
  } catch (error) {
    await client.close().catch(() => undefined);
    if (signal.aborted) throw createAbortError('The connection was given up.');
    throw explain(deadline.aborted ? tooSlow(bounds.connectMs) : error);
  }
  isOpen = true;
  // Changes before the stream was open are in the lists.
  void createChangeStream(client, () => void listAnew()).replace(client.autoOpenedSubscription);
  client.onclose = () => {
    if (!isOpen) return;
    isOpen = false;
    listeners.onLost(tooLong ?? failed('The server has closed the connection.'));
  };

  /**
   * Explains an error. An answer that was too long may look like an outage or a closed connection.
   */
  function explain(error: unknown): SdkError {
    const failure = toFailure(error);
    const cut = tooLong;
    if (!cut || (isOpen && failure.message !== cut.message)) return failure;
    if (isOpen) tooLong = undefined;
    return cut;
  }

  async function listOffer(listing: AbortSignal): Promise<Offer> {
    const listed = await listTools(client, bounds, listing);
    const { name = config.type, version = '' } = client.getServerVersion() ?? {};
    const { tools, problems } = readTools(listed, bounds, hasTasks(client));
    const { extras, problems: more } = await readExtras(client, bounds, listing);
    return {
      name: toPlainText(name, 100),
      version: toPlainText(version, 100),
      instructions: toPlainText(client.getInstructions() ?? '', bounds.descriptionChars),
      tools,
      ...(answersByTasks(client) && { answersByTasks: true }),
      extras,
      problems: [...problems, ...more],
    };
  }

  let listing: Promise<void> = Promise.resolve();
  /** One list at a time, so that the last result is the newest. */
  function listAnew(): Promise<void> {
    listing = listing.then(async () => {
      if (!isOpen) return;
      try {
        offer = await listOffer(AbortSignal.timeout(bounds.connectMs));
        if (isOpen) listeners.onOffer(offer);
      } catch (error) {
        if (!isOpen) return;
        isOpen = false;
        await client.close().catch(() => undefined);
        listeners.onLost(explain(error));
      }
    });
    return listing;
  }

  /** Runs `work` within `ms`. The time is paused while a person is asked. */
  async function inTime<Value>(
    ms: number,
    signal: AbortSignal,
    work: (ending: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const clock = startCallClock(ms);
    clocks.add(clock);
    const ending = AbortSignal.any([signal, clock.signal]);
    try {
      return await untilAborted(work(ending), ending);
    } catch (error) {
      if (signal.aborted) throw createAbortError('The call was cut.');
      if (error instanceof UrlElicitationRequiredError) {
        throw await askForUrls(error, listeners, signal);
      }
      const scope = scopeWanted(error);
      if (scope !== undefined && 'url' in config) logins?.wants(config.url, scope);
      throw explain(clock.signal.aborted ? tooSlow(ms) : error);
    } finally {
      clocks.delete(clock);
      clock[Symbol.dispose]();
    }
  }

  let tasks: Promise<ServerTasks> | undefined;
  const loadTasks = () =>
    (tasks ??= import('./server-tasks.ts').then(
      ({ createServerTasks }) =>
        createServerTasks(client, {
          ...{ capabilities, answers, askings },
          maxQuestions: bounds.inputRounds,
        }),
      () => {
        tasks = undefined;
        throw failed('The code of tasks could not be loaded. Call again.');
      },
    ));
  return {
    isLegacy: client.getProtocolEra() === 'legacy',
    get offer() {
      return offer;
    },
    async call(toolName, input, options: CallOptions) {
      const { timeoutMs = bounds.callMs, onProgress } = options;
      const known = offer.tools.find(({ name }) => name === toolName);
      return inTime(timeoutMs, options.signal, async (ending) => {
        if (known?.runsAsTask) {
          return (await loadTasks()).run(known, input, { signal: ending, onProgress });
        }
        if (offer.answersByTasks) await loadTasks();
        return client.callTool(
          { name: toolName, arguments: { ...input } },
          {
            signal: ending,
            ...untimed,
            onprogress: onProgress,
            // With the definition, the client sends input fields as headers if the server requires
            // that.
            ...(known && { toolDefinition: toDefinition(known) }),
          },
        );
      });
    },
    follow: (taskId, { timeoutMs = bounds.callMs, signal: cut, onProgress }) =>
      inTime(timeoutMs, cut, async (ending) =>
        (await loadTasks()).follow(taskId, { signal: ending, onProgress }),
      ),
    ask: createServerRequests(client, bounds, (work, cut) => inTime(bounds.callMs, cut, work)),
    async close() {
      isOpen = false;
      await tasks?.then((one) => one.end()).catch(() => undefined);
      await client.close().catch(() => undefined);
    },
  };
}

/** In the protocol of 2025-11-25, a tool's description says whether its calls are tasks. */
function hasTasks(client: Client): boolean {
  const tasks = client.getServerCapabilities()?.tasks;
  return client.getProtocolEra() === 'legacy' && tasks?.requests?.tools?.call !== undefined;
}

/** In later protocols any call may become a task. */
function answersByTasks(client: Client): boolean {
  const { extensions = {} } = client.getServerCapabilities() ?? {};
  return client.getProtocolEra() === 'modern' && extensions[tasksExtension] !== undefined;
}

/**
 * The known protocol version. Only `legacy` is used: for a modern server it would skip the request
 * that gives the capabilities.
 */
const toPrior = (era: 'auto' | 'legacy') =>
  era === 'legacy' && { prior: { kind: 'legacy' as const } };

// Each call has our own clock. The client's clock wouldn't stop while a person is asked.
const untimed = { timeout: 24 * 60 * 60 * 1000 };

/**
 * Asks a person to open URLs, for servers before 2026-07-28. The call has failed, and works
 * afterwards.
 */
async function askForUrls(
  { elicitations }: UrlElicitationRequiredError,
  { onQuestion }: ConnectionListeners,
  signal: AbortSignal,
): Promise<SdkError> {
  for (const wanted of elicitations) {
    const answer = await onQuestion(toElicitation({ ...wanted, mode: 'url' }), signal);
    if (answer.type === 'elicited' && answer.result.action === 'accept') continue;
    return failed('The server wants the user to open a page first, and they did not. Tell them.');
  }
  return failed(
    'The server wanted the user to open a page, which is open now. Call again when they are done.',
  );
}

const toDefinition = ({ name, inputSchema }: OfferedTool) => ({
  name,
  inputSchema: { ...inputSchema, type: 'object' as const },
});

/** Reads the list page by page, so that an endless list ends at the limit. */
async function listTools(
  client: Client,
  { tools: maxTools, listChars }: McpBounds,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: unknown[] = [];
  let chars = 0;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    // Not parsed by the client's schema, because one invalid tool would reject the whole list.
    const listed = client.request({ method: 'tools/list', params }, toolsPage, { signal });
    const page = await untilAborted(listed, signal);
    tools.push(...page.tools);
    chars += JSON.stringify(page.tools).length;
    if (chars > listChars || tools.length > maxTools) {
      throw new SdkError(
        'limit-exceeded',
        `The MCP server lists more than ${maxTools} tools, or ${listChars} characters of them. Let it offer fewer.`,
        { data: { tools: tools.length, chars } },
      );
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && cursor !== '');
  return tools;
}

interface ToolsPage {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

const toolsPage: StandardSchemaV1<unknown, ToolsPage> = {
  '~standard': {
    version: 1,
    vendor: 'rockpool',
    validate(value) {
      const { tools, nextCursor } = isRecord(value) ? value : {};
      if (!Array.isArray(tools)) return { issues: [{ message: 'it lists no tools' }] };
      return {
        value: { tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined },
      };
    },
  },
};

/**
 * The id of a request that the client has sent. Undefined: no answer is expected, or it was a
 * login's form.
 */
function readId(body: unknown): string | number | undefined {
  const isMessage = typeof body === 'string' && body.startsWith('{');
  return isMessage ? (JSON.parse(body) as { readonly id?: string | number }).id : undefined;
}

const acceptsAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

function tooSlow(ms: number): SdkError {
  return failed(`The server took longer than ${ms / 1000} s.`);
}

function failed(message: string, data: Readonly<Record<string, unknown>> = {}): SdkError {
  return new SdkError('mcp-failed', message, { data });
}

/** Security: errors contain no header and no URL, because these may have a token. */
function toFailure(error: unknown): SdkError {
  const chain = listCauses(error);
  const own = chain.find((one) => SdkError.isInstance(one));
  if (own) return own;
  if (chain.some((one) => one instanceof UnauthorizedError || statusOf(one) === 401)) {
    return failed('The server wants a login: log in to it, or give it a header Authorization.', {
      needsAuth: true,
    });
  }
  const scope = scopeWanted(error);
  if (scope !== undefined) {
    return failed(
      `The server wants further rights for this (${toPlainText(scope, 200)}): log in to it once more.`,
      { needsAuth: true },
    );
  }
  // `fetch` rejects with these errors for every cause.
  if (chain.some((one) => one instanceof TypeError || messageOf(one).includes('fetch failed'))) {
    return failed(
      'The server could not be reached. Check its address, and in a page that it allows this origin: ' +
        'Access-Control-Allow-Origin, Access-Control-Allow-Headers with content-type, mcp-protocol-version, mcp-method, ' +
        'mcp-name, mcp-session-id and those that you send, Access-Control-Expose-Headers with mcp-session-id and ' +
        'www-authenticate.',
      { isUnreachable: true },
    );
  }
  if (chain.some((one) => statusOf(one) === 404)) {
    return failed(
      'The server answers 404: there is no MCP server at this address, or it has ended the session.',
      { isSessionLost: true },
    );
  }
  return failed(toPlainText(messageOf(error), 500));
}

/** The scopes that a server requires beyond those of the login. */
function scopeWanted(error: unknown): string | undefined {
  const refusal = listCauses(error).find((one) => one instanceof InsufficientScopeError);
  return refusal && (refusal.requiredScope ?? '');
}

/** The error and its causes. */
function listCauses(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let next = error;
  while (next && causes.length < maxCauses) {
    causes.push(next);
    next = (next as { readonly cause?: unknown }).cause;
  }
  return causes;
}

// A limit, because an error may be its own cause.
const maxCauses = 5;

function statusOf(error: unknown): unknown {
  return (error as { readonly status?: unknown } | undefined)?.status;
}
