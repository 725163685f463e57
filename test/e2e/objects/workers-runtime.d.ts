// The part of the runtime's own module that the tests' Workers use. Those of test/edge have all of its types.
declare module 'cloudflare:workers' {
  /** Its methods are called by RPC. */
  export class DurableObject {
    constructor(ctx: unknown, env: unknown);
  }
}
