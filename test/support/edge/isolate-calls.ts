/** The second Worker of test/package/isolate.test.ts: the first one sends it calls by a service binding. */
import wasm from 'quickjs-wasi/quickjs.wasm';
import { serveCalls, workers } from '../../../src/edge.ts';

// house-rule: no-default-export: a Worker's main module is its default export
export default { fetch: serveCalls(workers, { wasm }) };
