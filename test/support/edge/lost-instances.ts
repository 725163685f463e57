// Ways to lose the instance of a Durable Object.
import type { KillableWorkerd } from './killable-workerd.ts';

/** The code that runs at first has version 1. */
export function waysToLose(workerd: () => KillableWorkerd) {
  let version = 1;
  const bindings = () => ({ VERSION: String(version) });
  return {
    async SIGKILL() {
      workerd().kill();
      await workerd().start(bindings());
    },
    /** `name`: of the object. */
    async abort(name: string) {
      await workerd()
        .fetch(`${name}/abort`)
        .catch(() => undefined);
    },
    async 'new code'() {
      version += 1;
      await workerd().deploy(bindings());
    },
  } as const;
}
