// The example of docs/workspace.md as an embedder would run it, without any agent.
import { wrap } from 'comlink';
import { expect, it } from 'vitest';
import type { WorkspaceExample } from './workspace.worker.ts';

it('docs/examples/workspace.ts finds its notes again', async () => {
  const worker = new Worker(new URL('./workspace.worker.ts', import.meta.url), {
    type: 'module',
  });
  const example = wrap<WorkspaceExample>(worker);
  const name = `notes-${crypto.randomUUID()}`;
  try {
    expect(await example.countNotes(name)).toBe(1);
    expect(await example.countNotes(name)).toBe(2);
    expect(await example.countNotes(name)).toBe(3);
    await example.remove(name);
    expect(await example.countNotes(name)).toBe(1);
  } finally {
    await example.remove(name);
    worker.terminate();
  }
});
