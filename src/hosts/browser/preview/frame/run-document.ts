// Runs modules and deferred scripts when the document is complete, and then dispatches its events.
// So modules receive `DOMContentLoaded` and `load`.
import type { FrameEntry } from './messages.ts';

/** `begin` and `run` never reject. */
export function runDocument(
  entries: readonly FrameEntry[],
  begin: () => Promise<void>,
  run: (entry: FrameEntry) => Promise<void>,
): void {
  let hasRun = false;
  let isLoaded = false;
  window.addEventListener('DOMContentLoaded', holdBack, true);
  window.addEventListener('load', holdBack, true);

  function holdBack(event: Event): void {
    if (!event.isTrusted || hasRun) return;
    event.stopImmediatePropagation();
    if (event.type === 'load') isLoaded = true;
    else void runAll();
  }

  async function runAll(): Promise<void> {
    await begin();
    for (const entry of entries) await run(entry);
    hasRun = true;
    document.dispatchEvent(new Event('DOMContentLoaded', { bubbles: true }));
    if (isLoaded) window.dispatchEvent(new Event('load'));
  }
}
