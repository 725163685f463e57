// Bad calls on the inline host, the reference that the other hosts must agree with.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { createInlineHost } from 'rockpool/testing';
import { badCalls, expectedReport, toConversation } from './bad-calls.ts';
import { runTurns } from '../page/run-turns.ts';

async function loadWasm(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return WebAssembly.compile(await readFile(path));
}

it.each(badCalls)('refuses $name', async (badCall) => {
  const host = await createInlineHost({ loadWasm });
  try {
    const report = await runTurns(host, toConversation(badCall, 'inline'));
    expect(report).toEqual(expectedReport(badCall, 'inline', report.hashBefore));
  } finally {
    await host[Symbol.asyncDispose]();
  }
});
