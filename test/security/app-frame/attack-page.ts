// The page that draws apps which want out: behind the wall, or in a bare frame. Driven by app-frame.node.test.ts.
import { toAppDocument } from '../../../src/react/apps/app-document.ts';
import { createAppFrame } from '../../../src/react/apps/app-frame.ts';

const url = new URL('../../../src/hosts/browser/app-frame/app-frame.html', import.meta.url).href;

export interface AttackPage {
  /** Resolves when each of the apps has said that it has tried. */
  draw(apps: readonly string[]): Promise<void>;
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
  drawBare(apps) {
    for (const html of apps) {
      const frame = document.createElement('iframe');
      frame.srcdoc = html;
      document.body.append(frame);
    }
  },
};

Object.assign(globalThis, { attackPage: page });
