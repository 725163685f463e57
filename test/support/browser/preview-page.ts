// A preview on the screen of a test's page, over a workspace in memory.
import { onTestFinished } from 'vitest';
import type { PreviewFiles, PreviewPage } from '../../../src/core/host-ports/preview.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createPreview } from '../../../src/hosts/browser/preview/create-preview.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

const frameUrl = new URL('../../../src/hosts/browser/app-frame/app-frame.html', import.meta.url);

export type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** A preview on the screen, and a workspace with these files. */
export async function openPreview(files: Files, clock: Clock = systemClock) {
  const container = document.createElement('div');
  container.style.cssText = 'width: 600px; height: 400px; position: fixed; inset: 0';
  document.body.append(container);
  const workspace = await createMemoryWorkspace();
  for (const [path, content] of Object.entries(files)) {
    await workspace.fs.mkdir(`/app/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
    await workspace.fs.writeFile(`/app/${path}`, content);
  }
  const preview = createPreview({ container, frameUrl, clock });
  onTestFinished(async () => {
    preview[Symbol.dispose]();
    container.remove();
    await workspace[Symbol.asyncDispose]();
  });
  const open = (
    path = '/app/index.html',
    given: PreviewFiles = workspace.fs,
    signal?: AbortSignal,
  ) => preview.open(path, { files: given, ...(signal && { signal }) });
  return { container, preview, workspace, open };
}

/** The ref of the first line that holds the text. */
export function refOf({ tree }: PreviewPage, text: string): string {
  const line = tree.split('\n').find((one) => one.includes(text)) ?? '';
  const [, ref] = /\[ref=(e\d+)\]/.exec(line) ?? [];
  if (ref === undefined) throw new Error(`No ref for ${text} in:\n${tree}`);
  return ref;
}

/** A picture. */
export const pixel = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  (char) => char.charCodeAt(0),
);
