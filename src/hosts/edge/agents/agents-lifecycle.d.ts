// The part of Cloudflare's `agents/lifecycle` that a session's capability uses, as structural types. The package is an
// optional peer; `npm run cloudflare:agents` installs it, and checks these types against its own.
declare module 'agents/lifecycle' {
  /** The capability's own jobs in Lifecycle's queue, which drives the object's one alarm. */
  export interface LifecycleJobs {
    push(options: {
      readonly id: string;
      readonly fn: string;
      readonly time: number;
      readonly retry: { readonly maxAttempts: number };
      readonly hungTimeoutSeconds: number;
    }): Promise<unknown>;
    cancel(id: string): Promise<boolean>;
    get(id: string): { readonly time: number } | undefined;
  }

  export interface LifecycleServices {
    ready(): Promise<void>;
    readonly jobs: LifecycleJobs;
  }

  export abstract class LifecycleCapability {
    readonly capabilityId: string;
    readonly claims: 'selective' | 'catch-all';
    protected constructor(capabilityId: string);
    onStart(context: { readonly props: object | undefined }): void;
    protected get lifecycle(): LifecycleServices;
  }
}
