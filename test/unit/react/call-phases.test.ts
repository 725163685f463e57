// What a call is between the end of its input and its own end: it waits, runs, or was stopped.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import type { TranscriptStore } from '../../../src/react/transcript-store.ts';
import type { CallEntry } from '../../../src/react/transcript.ts';
import {
  assistant,
  jsonDelta,
  phase,
  prompt,
  startCall,
  startMessage,
  stopBlock,
  toolResult,
  toolUse,
} from '../../support/stages/sdk-messages.ts';

function createFolded(...messages: SDKMessage[]) {
  const permissions = createPermissionQueue();
  const store = createTranscriptStore({ permissions });
  for (const message of messages) store.apply(message);
  return { store, permissions };
}

function callIn(store: TranscriptStore, id = 'call-1'): CallEntry {
  const entries = store.getSnapshot().turns.at(-1)?.entries ?? [];
  const entry = entries.find((candidate) => candidate.id === id);
  if (entry?.kind !== 'call') throw new Error(`There is no call ${id}.`);
  return entry;
}

const question = (toolUseID: string) => ({
  signal: new AbortController().signal,
  toolUseID,
  requestId: `question-${toolUseID}`,
});

describe('a call in the store', () => {
  it('shows that a call waits between the end of its input and its start', () => {
    const { store } = createFolded(prompt('go'), startMessage(), startCall(0, 'call-1', 'Edit'));
    store.apply(phase('call-1', 'queued'));
    expect(callIn(store).state).toBe('input-streaming');
    store.apply(jsonDelta(0, '{"file_path":"a.ts"}'));
    store.apply(stopBlock(0));
    expect(callIn(store)).toMatchObject({ state: 'input-queued', input: { file_path: 'a.ts' } });
    store.apply(phase('call-1', 'running'));
    expect(callIn(store).state).toBe('input-available');
  });

  it('shows that a call waits whose message comes later, and that an answered one goes on', async () => {
    const { store, permissions } = createFolded(prompt('go'), phase('call-1', 'queued'));
    store.apply(assistant([toolUse('call-1', 'Edit', {}), toolUse('call-2', 'Edit', {})]));
    expect([callIn(store).state, callIn(store, 'call-2').state]).toEqual([
      'input-queued',
      'input-available',
    ]);
    const answered = permissions.canUseTool('Edit', {}, question('call-2'));
    permissions.answer(permissions.getSnapshot()[0]?.id ?? '', { type: 'allow-once' });
    await answered;
    const states = (['queued', 'running'] as const).map((next) => {
      store.apply(phase('call-2', next));
      return callIn(store, 'call-2').state;
    });
    expect(states).toEqual(['input-queued', 'approval-responded']);
  });

  it('tells a call that was stopped from one that failed', () => {
    const calls = assistant([toolUse('call-1', 'Edit', {}), toolUse('call-2', 'Edit', {})]);
    const stopped = { ...toolResult('call-1', 'Edit was stopped.', { isError: true }) };
    const { store } = createFolded(prompt('go'), calls, { ...stopped, is_stopped: true } as never);
    store.apply(toolResult('call-2', 'Broken.', { isError: true }));
    expect([callIn(store).state, callIn(store, 'call-2').state]).toEqual([
      'output-stopped',
      'output-error',
    ]);
  });

  it('is in the transcript, with its input and its end, where a cell has made it', () => {
    const { store } = createFolded(prompt('go'), assistant([toolUse('call-1', 'Repl', {})]));
    const inner = toolUse('call-2', 'Edit', { file_path: 'a.ts' });
    store.apply({ ...assistant([inner]), parent_tool_use_id: 'call-1' } as SDKMessage);
    expect(callIn(store, 'call-2')).toMatchObject({
      toolName: 'Edit',
      parentToolUseId: 'call-1',
      state: 'input-available',
      input: { file_path: 'a.ts' },
    });
    const output = { filePath: '/a.ts' };
    store.apply(toolResult('call-2', 'Edited.', { output }));
    expect(callIn(store, 'call-2')).toMatchObject({ state: 'output-available', output });
  });
});
