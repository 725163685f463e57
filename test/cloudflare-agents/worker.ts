// The Worker of session-capability.test.ts: a session beside other capabilities, in an `Agent` and in a plain object.
import { DurableObject } from 'cloudflare:workers';
import { Agent } from 'agents';
import { Lifecycle } from 'agents/lifecycle';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createSessionCapability } from '../../src/cloudflare-agents.ts';
import type { SessionCapability } from '../../src/cloudflare-agents.ts';
import { createObjectWire } from '../../src/edge.ts';
import type { SocketContext } from '../../src/edge.ts';
import type { Model } from '../../src/model/model.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { createWireModel } from '../support/wire/wire-model.ts';

/** How often an object's model was asked. It outlives the object, as all share the Worker's isolate. */
const asked = new Map<string, number>();

/** As the wire's, but its first request ends the object where the prompt says so. */
function modelOf(ctx: DurableObjectState): Model {
  const model = createWireModel();
  const key = ctx.id.toString();
  return {
    ...model,
    async *stream(request, options) {
      const times = (asked.get(key) ?? 0) + 1;
      asked.set(key, times);
      if (times === 1 && JSON.stringify(request.messages).includes('dies')) ctx.abort('It dies.');
      yield* model.stream(request, options);
    },
  };
}

function sessionIn(ctx: DurableObjectState) {
  return createSessionCapability(ctx, {
    wasm,
    model: modelOf(ctx),
    wire: createObjectWire(ctx as unknown as SocketContext, {
      // The role is what the header says: tests only.
      authorize({ headers }) {
        const role = headers.get('x-role') as WireRole | null;
        return role ? { owner: 'ann', role } : undefined;
      },
    }),
  });
}

/** What a schedule of a person's own does: it says a prompt, and goes on with what the turn came to. */
async function askAndWait({ object }: SessionCapability): Promise<string> {
  const session = await object.session();
  await session.send('a report');
  for await (const message of session.messages()) {
    if (message.type === 'result' && message.subtype === 'success') return message.result;
  }
  return '';
}

/** Everything of it is Lifecycle's but the session. */
export class PlainObject extends DurableObject {
  readonly session = sessionIn(this.ctx);
  readonly lifecycle = Lifecycle.install(this).use(this.session);

  async onRequest({ url }: Request): Promise<Response> {
    const { storage } = this.ctx;
    if (url.endsWith('/remind')) {
      await this.lifecycle.jobs.push({ id: 'own', fn: 'remind', time: Date.now() });
    }
    if (url.endsWith('/report')) {
      await this.lifecycle.jobs.push({ id: 'own', fn: 'report', time: Date.now() });
    }
    const [reminded, report] = await Promise.all([storage.get('reminded'), storage.get('report')]);
    return Response.json({ reminded: reminded === true, ...(report !== undefined && { report }) });
  }

  async onJob({ job }: { readonly job: { readonly fn: string } }): Promise<void> {
    if (job.fn === 'report') await this.ctx.storage.put('report', await askAndWait(this.session));
    else await this.ctx.storage.put('reminded', true);
  }

  /** By a stub: no event that Lifecycle sees. */
  async prompt(text: string): Promise<void> {
    await (await this.session.object.session()).send(text);
  }
}

/** Its state, its SQL and its schedules are the Agent's own. */
export class AgentObject extends Agent<
  Cloudflare.Env,
  { readonly reminded: boolean; readonly report?: string }
> {
  override initialState = { reminded: false };
  readonly session = sessionIn(this.ctx);

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.lifecycle.use(this.session);
  }

  override async onRequest({ url }: Request): Promise<Response> {
    if (url.endsWith('/remind')) await this.schedule(1, 'remind');
    if (url.endsWith('/report')) await this.schedule(1, 'report');
    const [row] = this.sql<{ readonly one: number }>`SELECT 1 AS one`;
    return Response.json({ ...this.state, reminded: this.state.reminded && row?.one === 1 });
  }

  remind(): void {
    this.setState({ reminded: true });
  }

  async report(): Promise<void> {
    this.setState({ reminded: false, report: await askAndWait(this.session) });
  }

  /** By a stub: no event that Lifecycle sees. */
  async prompt(text: string): Promise<void> {
    await (await this.session.object.session()).send(text);
  }
}

interface Bindings {
  readonly PLAIN: DurableObjectNamespace<PlainObject>;
  readonly AGENT: DurableObjectNamespace<AgentObject>;
}

// house-rule: no-default-export: a Worker's main module is its default export
export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, binding, name = '', what] = pathname.split('/');
    const objects = binding === 'AGENT' ? bindings.AGENT : bindings.PLAIN;
    const id = objects.idFromName(name);
    // Asks the isolate, and wakes no object.
    if (what === 'asked') return Response.json(asked.get(id.toString()) ?? 0);
    const object = objects.getByName(name);
    if (what !== 'prompt') return object.fetch(request);
    await object.prompt(searchParams.get('text') ?? '');
    return new Response();
  },
};
