/**
 * A coding agent at the edge: one Durable Object for each session, one for each owner, and a Worker in front that
 * authenticates requests. This example has one owner, who knows the password. In your own service an owner is a
 * user's name.
 */
import { DurableObject } from 'cloudflare:workers';
import { createAnthropicModel, createScriptedModel, SdkError, type Model } from 'rockpool';
import {
  connectDirectory,
  createModelProxy,
  createObjectWire,
  createSessionDirectory,
  createSessionObject,
  type SessionDirectory,
} from 'rockpool/edge';
import wasm from 'rockpool/quickjs.wasm';
import { script } from './script.ts';

/** The bindings of wrangler.jsonc and the secrets. */
export interface Env {
  readonly SESSIONS: DurableObjectNamespace<Session>;
  readonly OWNERS: DurableObjectNamespace<Owner>;
  readonly RATE: RateLimit;
  /** If it is bound, it holds large files and archived sessions. */
  readonly FILES?: R2Bucket;
  readonly VERSION: { readonly id: string };
  readonly MODEL: string;
  readonly BUDGET_USD: string;
  readonly PASSWORD?: string;
  readonly ANTHROPIC_API_KEY?: string;
}

const owner = 'me';

function directoryOf(env: Env): SessionDirectory {
  return connectDirectory(() => env.OWNERS.getByName(owner));
}

/** The proxy holds the key. It counts the cost of each request before it is sent. */
function openModel(env: Env): Model {
  const { ANTHROPIC_API_KEY: apiKey, MODEL: model } = env;
  if (!apiKey) return createScriptedModel({ script });
  const proxy = createModelProxy({
    apiKey,
    models: [model],
    authenticate: () => owner,
    account: directoryOf(env),
  });
  return createAnthropicModel({
    model,
    baseURL: 'https://model-proxy.invalid',
    fetch: (url, init) => proxy(new Request(url, init)),
  });
}

/** Empty if no bucket is bound. */
function storedIn(bucket: R2Bucket | undefined) {
  return bucket && { contents: { bucket }, archive: { bucket } };
}

/** A session: its conversation and files are in the object's SQLite. It sleeps while there is nothing to do. */
export class Session extends DurableObject<Env> {
  readonly #session = createSessionObject(this.ctx, {
    wasm,
    model: openModel(this.env),
    sessionId: String(this.ctx.id.name),
    version: this.env.VERSION.id,
    directory: directoryOf(this.env),
    ...storedIn(this.env.FILES),
    // Only a caller with the password gets a ticket from the Worker.
    wire: createObjectWire(this.ctx, { authorize: async () => ({ owner, role: 'owner' }) }),
    options: {
      permissionMode: 'acceptEdits',
      allowedTools: ['Repl'],
      includePartialMessages: true,
      cellPrompts: true,
      // The page's sessions have these tools, too, so that a moved conversation keeps its task list.
      tasksV2: true,
      // `user`: a conversation that comes from the page brings the user's own files along.
      settingSources: ['user', 'project', 'local'],
      homeDirectory: '/user',
      memory: 'project',
    },
  });

  override async fetch(request: Request): Promise<Response> {
    return (await this.#session.fetch(request)) ?? refuse(404, 'There is nothing here.');
  }

  override async alarm(): Promise<void> {
    await this.#session.alarm();
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.#session.webSocketMessage(socket, data);
  }

  override async webSocketClose(
    socket: WebSocket,
    code: number,
    reason: string,
    wasClean: boolean,
  ): Promise<void> {
    await this.#session.webSocketClose(socket, code, reason, wasClean);
  }

  override async webSocketError(socket: WebSocket, error: unknown): Promise<void> {
    await this.#session.webSocketError(socket, error);
  }

  /** Called when the owner's object has a free turn for this session. */
  continueTurns(): Promise<boolean> {
    return this.#session.continueTurns();
  }

  /**
   * Security: this is a method, so that no request from outside can reach it. The Worker forwards requests for
   * `/wire` unchecked.
   */
  async remove(): Promise<void> {
    // The session isn't opened for its removal, because it may have moved away.
    await this.#session.release();
    await this.#session.deleteArchive();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    // Clients that have the session open would create it again, but this instance has no tables any more.
    for (const socket of this.ctx.getWebSockets()) socket.close(1000, 'It was deleted.');
    setTimeout(() => this.ctx.abort('The session was deleted.'));
  }
}

/** An owner's list of sessions, and their quotas. */
export class Owner extends DurableObject<Env> {
  readonly #directory = createSessionDirectory(this.ctx, {
    quotas: { sessions: 50, bytes: 1_000_000_000, turns: 3 },
    budget: { usd: Number(this.env.BUDGET_USD), countsBy: 'requests' },
    deleteSession: (id) => this.env.SESSIONS.getByName(id).remove(),
    continueSession: (id) => this.env.SESSIONS.getByName(id).continueTurns(),
  });

  override async fetch(request: Request): Promise<Response> {
    return (await this.#directory.fetch(request)) ?? new Response(null, { status: 404 });
  }
}

async function answer(request: Request, env: Env): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, id = '', rest = ''] =
    /^\/api\/sessions(?:\/([\w-]{36})(\/wire(?:\/ticket|\/move)?)?)?$/u.exec(pathname) ?? [];
  const directory = directoryOf(env);
  const isKnown = async () => (await directory.find(id)) !== undefined;
  // The session's object checks the ticket, which only an authenticated caller gets. A session that isn't registered
  // isn't created.
  if (rest === '/wire' || rest === '/wire/move') {
    if (await isKnown()) return env.SESSIONS.getByName(id).fetch(request);
    return refuse(404, 'There is no such session.');
  }
  const given = request.headers.get('authorization') ?? '';
  if (!env.PASSWORD || !(await areSame(given, `Bearer ${env.PASSWORD}`))) {
    return refuse(401, 'The password is wrong, or none is set.');
  }
  switch (`${request.method} ${id ? pathname.replace(id, ':id') : pathname}`) {
    case 'GET /api/sessions':
      return Response.json(await directory.list());
    case 'POST /api/sessions': {
      const made = crypto.randomUUID();
      const admission = await directory.register({ id: made, title: 'A session' });
      return admission.allowed ? Response.json({ id: made }) : refuse(403, admission.reason);
    }
    // The page chooses the id, for example of a session that will be moved here. With several owners, check whose
    // session it is.
    case 'PUT /api/sessions/:id': {
      const title = (await request.text()).trim().slice(0, 100);
      const admission = await directory.register({ id, ...(title !== '' && { title }) });
      return admission.allowed ? Response.json({ id }) : refuse(403, admission.reason);
    }
    case 'DELETE /api/sessions/:id':
      await directory.delete(id);
      return new Response(null, { status: 204 });
    case 'POST /api/sessions/:id/wire/ticket': {
      if (!(await isKnown())) return refuse(404, 'There is no such session.');
      const { success } = await env.RATE.limit({ key: owner });
      if (!success) return refuse(429, 'Too many tickets. Try again in a minute.');
      return env.SESSIONS.getByName(id).fetch(request);
    }
    default:
      return refuse(404, 'There is nothing here.');
  }
}

/** Compares in constant time: a wrong password takes as long as the right one. */
async function areSame(given: string, expected: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return crypto.subtle.timingSafeEqual(await digest(given), await digest(expected));
}

function refuse(status: number, reason: string): Response {
  return new Response(reason, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(request, env) {
    try {
      return await answer(request, env);
    } catch (error) {
      // Rockpool's errors are sentences for a person, and none contains a key. Other errors may contain anything, so
      // they are only logged.
      if (SdkError.isInstance(error)) return refuse(500, error.message);
      console.error(error);
      return refuse(500, 'It failed. Try again.');
    }
  },
} satisfies ExportedHandler<Env>;
