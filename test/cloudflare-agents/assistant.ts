// What docs/edge.md shows of it, compiled with the package's own types.
import { Agent } from 'agents';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createSessionCapability } from '../../src/cloudflare-agents.ts';
import type { Model } from '../../src/model/model.ts';

interface Env {
  readonly model: Model;
}

const openModel = ({ model }: Env): Model => model;

export class Assistant extends Agent<Env> {
  readonly session = createSessionCapability(this.ctx, { wasm, model: openModel(this.env) });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.lifecycle.use(this.session);
  }
}
