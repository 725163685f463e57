// Before each test file: random draws are the same in every ordinary run. `SEED=<number> npm test` draws others. A
// failure names its seed.
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
