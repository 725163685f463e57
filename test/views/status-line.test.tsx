import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { definitions } from '../../src/tools/definitions.ts';
import { StatusLine } from '../../src/react/components/status-line.tsx';
import { createTranscriptStore } from '../../src/react/transcript-store.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { StatusLineProps } from '../../src/react/components/status-line.tsx';
import {
  connectionChanged,
  failure,
  jsonDelta,
  phase,
  prompt,
  roleChanged,
  startCall,
  startMessage,
  stopBlock,
  success,
} from '../support/stages/sdk-messages.ts';

/** What a screen reader is told: politely, and at once. */
function announced(...messages: SDKMessage[]): { polite: string; assertive: string } {
  const store = createTranscriptStore({ now: () => 1000 });
  for (const message of messages) store.apply(message);
  const markup = renderToStaticMarkup(
    <StatusLine session={store.getSnapshot()} openQuestions={0} onStop={() => {}} />,
  );
  return {
    polite: /role="status">([^<]*)</.exec(markup)?.[1] ?? '',
    assertive: /aria-live="assertive">([^<]*)</.exec(markup)?.[1] ?? '',
  };
}

describe('StatusLine', () => {
  it('says that a lost connection is retried, not that the agent works', () => {
    const lost = [prompt('go'), connectionChanged('waiting')];
    expect(announced(...lost).polite).toContain('Connection lost. Trying again');
    expect(announced(...lost, connectionChanged('open')).polite).toBe('The agent is working.');
    const store = createTranscriptStore({ now: () => 1000 });
    for (const message of lost) store.apply(message);
    const show = () =>
      renderToStaticMarkup(
        <StatusLine session={store.getSnapshot()} openQuestions={0} onStop={() => {}} />,
      );
    expect(show()).not.toContain('Working');
    expect(show()).toContain('Stop');
    // The connection was given up: the transcript says why.
    store.end();
    expect(show()).not.toContain('Connection lost');
  });

  it('reads an error out at once, until the next turn begins', () => {
    const failed = [prompt('go'), failure('The key was refused.')];
    expect(announced(...failed)).toEqual({
      polite: 'The agent stopped.',
      assertive: 'The key was refused.',
    });
    expect(announced(...failed, prompt('again'))).toEqual({
      polite: 'The agent is working.',
      assertive: '',
    });
  });

  it('says what a call does in its tool’s own words, where it has the tools', async () => {
    const tools = await Promise.all(definitions.map((entry) => entry.load()));
    const store = createTranscriptStore({ now: () => 1000 });
    const calling = [prompt('go'), startMessage(), startCall(0, 'call-1', 'Read')];
    const input = [jsonDelta(0, '{"file_path":"src/app.ts"}'), stopBlock(0)];
    for (const message of [...calling, ...input]) store.apply(message);
    const show = (given: Partial<StatusLineProps>) =>
      renderToStaticMarkup(
        <StatusLine session={store.getSnapshot()} openQuestions={0} onStop={() => {}} {...given} />,
      );
    expect(show({ tools })).toContain('>Reading src/app.ts.<');
    expect(show({ tools })).toContain('Reading src/app.ts · ');
    expect(show({})).toContain('>The agent uses Read.<');
    expect(show({ tools, openQuestions: 1 })).toContain('Waiting for you · ');
    // One that waits for it does nothing yet.
    const behind = [startCall(1, 'call-2', 'Edit'), stopBlock(1), phase('call-2', 'queued')];
    for (const message of behind) store.apply(message);
    expect(show({ tools })).toContain('>Reading src/app.ts.<');
  });

  it('says that the agent works elsewhere', () => {
    const store = createTranscriptStore({ now: () => 1000 });
    for (const message of [roleChanged('viewer'), prompt('go')]) store.apply(message);
    const markup = renderToStaticMarkup(
      <StatusLine session={store.getSnapshot()} openQuestions={0} onStop={() => {}} />,
    );
    expect(markup.replaceAll('<!-- -->', '')).toContain('calls · elsewhere<');
  });

  it('says politely that a turn is done, and what the agent answers', () => {
    expect(announced(prompt('go'), success('It **runs**. See [the log](log.txt)'))).toEqual({
      polite: 'The agent is done. It runs. See the log.',
      assertive: '',
    });
    expect(announced(prompt('go'), success('')).polite).toBe('The agent is done.');
  });
});
