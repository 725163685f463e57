// What a Worker pays before its first answer, beside its text. An error that a module makes while
// it is evaluated asks V8 where it stands. V8 parses that whole module once more for it: 60 ms of
// wrangler's one file.
import { expect, it } from 'vitest';

it('makes no error while the modules of a Worker are evaluated', async () => {
  const made: unknown[] = [];
  const real = globalThis.Error;
  globalThis.Error = class extends real {
    constructor(...args: ConstructorParameters<typeof real>) {
      super(...args);
      made.push(this.stack);
    }
  } as ErrorConstructor;
  try {
    await import('../../src/edge.ts');
    await import('../../src/index.ts');
  } finally {
    globalThis.Error = real;
  }
  expect(made).toEqual([]);
});
