/**
 * A coding agent at the edge: one object a session, one an owner, and a Worker in front that asks who is there.
 * There is one owner here, who knows the password; a service of your own takes its users' names.
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

/** What wrangler.jsonc and the secrets bind. */
export interface Env {
  readonly SESSIONS: DurableObjectNamespace<Session>;
  readonly OWNERS: DurableObjectNamespace<Owner>;
  readonly RATE: RateLimit;
  /** Where it is bound it has large files and sessions that are archived. */
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

/** The key stays in the proxy, which counts what each request costs before it is made. */
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

/** Nothing where no bucket is bound. */
function storedIn(bucket: R2Bucket | undefined) {
  return bucket && { contents: { bucket }, archive: { bucket } };
}

/** A session: its conversation and files are in the object's SQLite. It sleeps while nothing is to be done. */
export class Session extends DurableObject<Env> {
  readonly #session = createSessionObject(this.ctx, {
    wasm,
    model: openModel(this.env),
    sessionId: String(this.ctx.id.name),
    version: this.env.VERSION.id,
    directory: directoryOf(this.env),
    ...storedIn(this.env.FILES),
    // The Worker lets nobody ask for a ticket who doesn't know the password.
    wire: createObjectWire(this.ctx, { authorize: async () => ({ owner, role: 'owner' }) }),
    options: {
      permissionMode: 'acceptEdits',
      allowedTools: ['Repl'],
      includePartialMessages: true,
      cellPrompts: true,
      // The task list of a conversation goes on: the page's has these tools, too.
      tasksV2: true,
      // The files that a conversation brings from the page have the user's own there.
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

  /** A turn is free for what waits here. */
  continueTurns(): Promise<boolean> {
    return this.#session.continueTurns();
  }

  /** Security: by a method, which no request from outside reaches. The Worker passes those for `/wire` on unseen. */
  async remove(): Promise<void> {
    // Not opened for that: it may be that it was moved away.
    await this.#session.release();
    await this.#session.deleteArchive();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    // Who still has the session open would begin it anew, and this instance has no tables any more.
    for (const socket of this.ctx.getWebSockets()) socket.close(1000, 'It was deleted.');
    setTimeout(() => this.ctx.abort('The session was deleted.'));
  }
}

/** An owner's sessions, and what they may use. */
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
  // Who has a ticket was let in already: the session's object looks at it. One that nobody has registered isn't made.
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
    // A page names its own: of a session that is to be moved here, say. With several owners, look whose it is.
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

/** Takes as long for a wrong password as for the right one. */
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
      // Rockpool's errors are sentences for a person; none has a key in it. Others may tell anything: they are logged.
      if (SdkError.isInstance(error)) return refuse(500, error.message);
      console.error(error);
      return refuse(500, 'It failed. Try again.');
    }
  },
} satisfies ExportedHandler<Env>;
