// The engine's port by itself: what ends guest code where the guest would rather go on.
import { expect, it } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import type { HostFunction, VmError, VmOptions } from '../../../src/repl/vm/engine.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';

const roomy: Omit<VmOptions, 'hostFunctions'> = {
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 256 * 1024,
  now: () => 0,
  shouldInterrupt: () => false,
  endsAtCall: () => false,
};

async function boot(kernel: string, hostFunctions: Record<string, HostFunction>, options = {}) {
  const engine = await createQuickjsEngine(await loadQuickjsWasm());
  const code = { source: `(host) => (${kernel})`, filename: 'boot' };
  return engine.create({ ...roomy, hostFunctions, ...options }, code);
}

it('lets no guest code go on after a call that is refused', async () => {
  let asked = 0;
  let wentOn = 0;
  using vm = await boot(
    `{ loop() {
      for (let round = 0; round < 100; round += 1) {
        try { host.work(); } catch {} finally { host.note(); }
      }
    } }`,
    { work: () => undefined, note: () => void (wentOn += 1) },
    { endsAtCall: () => (asked += 1) > 10 },
  );
  expect(() => vm.call('loop')).toThrow(
    expect.objectContaining({ name: 'VmError', failure: 'interrupted' } satisfies Partial<VmError>),
  );
  expect([asked, wentOn]).toEqual([11, 5]);
});

it('gives a guest whose heap is nearly full of what it needs the rest of it', async () => {
  using vm = await boot(
    `{ fill() {
      const kept = (globalThis.kept = []);
      // In reserve, so that there is something to speak with in the end.
      let reserve = new Uint8Array(65536);
      try { for (;;) { kept.push({ round: kept.length }); host.note(); } }
      catch (error) { reserve = null; return error.message; }
    } }`,
    { note: () => undefined },
  );
  expect(vm.call('fill')).toBe('out of memory');
  expect(vm.memoryUse()).toBeGreaterThan(0.95);
});
