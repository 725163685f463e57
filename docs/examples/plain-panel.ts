import { query, type BrowserHost, type Model } from 'rockpool/browser';
import { createPageSession, type PageSession, type TranscriptEntry } from 'rockpool/stores';

/** A conversation without a framework: dispose the result with the panel. */
export function openPlainPanel(panel: HTMLElement, host: BrowserHost, model: Model): PageSession {
  const session = createPageSession(({ prompt, ...wiring }) =>
    query({ prompt, options: { host, model, includePartialMessages: true, ...wiring } }),
  );
  const { store, permissions } = session;
  const draw = () => {
    const lines = store
      .getSnapshot()
      .turns.flatMap(({ prompt, entries }) => [`You: ${prompt}`, ...entries.map(describe)])
      .map((line) => Object.assign(document.createElement('p'), { textContent: line }));
    const buttons = permissions.getSnapshot().map(({ id, title }) => {
      const button = document.createElement('button');
      button.textContent = `Allow ${title}`;
      button.onclick = () => permissions.answer(id, { type: 'allow-once' });
      return button;
    });
    panel.replaceChildren(...lines, ...buttons);
  };
  store.subscribe(draw);
  permissions.subscribe(draw);
  return session;
}

function describe(entry: TranscriptEntry): string {
  return entry.kind === 'call' ? `${entry.toolName}: ${entry.state}` : entry.text;
}
