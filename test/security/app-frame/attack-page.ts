// The page that draws apps which want out: behind the wall, in a preview, or in a bare frame. Driven by
// app-frame.node.test.ts.
import { createPreview } from '../../../src/hosts/browser/preview/create-preview.ts';
import { toAppDocument } from '../../../src/react/apps/app-document.ts';
import { createAppFrame } from '../../../src/react/apps/app-frame.ts';

const url = new URL('../../../src/hosts/browser/app-frame/app-frame.html', import.meta.url).href;

export interface AttackPage {
  /** Resolves when each of the apps has said that it has tried. */
  draw(apps: readonly string[]): Promise<void>;
  /** As {@link draw}, each as the page of a preview. */
  preview(pages: readonly string[]): Promise<void>;
  /** In frames without a wall. */
  drawBare(apps: readonly string[]): void;
}

const page: AttackPage = {
  async draw(apps) {
    await Promise.all(
      apps.map(
        (html) =>
          new Promise<void>((resolve) => {
            const document_ = toAppDocument({ html, resourceDomains: [], connectDomains: [] });
            const frame = createAppFrame({
              url,
              html: document_.html,
              title: 'An app',
              onMessage: (message) => message === 'tried' && resolve(),
            });
            document.body.append(frame.element);
          }),
      ),
    );
  },
  async preview(pages) {
    await Promise.all(
      pages.map(async (html) => {
        const container = document.createElement('div');
        container.style.cssText = 'width: 300px; height: 150px';
        document.body.append(container);
        const preview = createPreview({ container, frameUrl: url });
        const tried = new Promise<void>((resolve) => {
          window.addEventListener('message', ({ source, data }) => {
            const frame = container.querySelector('iframe');
            if (source === frame?.contentWindow && data === 'tried') resolve();
          });
        });
        const bytes = new TextEncoder().encode(html);
        const stats = { size: bytes.length, isFile: () => true, isDirectory: () => false };
        const files = { readFile: async () => bytes, stat: async () => stats };
        // One that leads itself away answers nothing any more.
        preview.open('/app/index.html', { files }).catch(() => undefined);
        await tried;
      }),
    );
  },
  drawBare(apps) {
    for (const html of apps) {
      const frame = document.createElement('iframe');
      frame.srcdoc = html;
      document.body.append(frame);
    }
  },
};

Object.assign(globalThis, { attackPage: page });
