// The first code in a previewed page, in the page's own realm. `npm run guest` generates
// frame-code.ts from this folder. The app can access everything here. Security comes from the
// frame's sandbox and the page's policy.
import { act, findElement } from './act.ts';
import { giveAddress, waitForSteps } from './address.ts';
import { describe, watchConsole } from './console.ts';
import { serveFiles } from './files.ts';
import { answerDialogs } from './dialogs.ts';
import { createLink, type AskedAction } from './link.ts';
import { beginAt, keepInPage } from './links.ts';
import { giveMemoryStorage } from './memory-storage.ts';
import type { FrameSetup } from './messages.ts';
import { createModules, runScript } from './modules.ts';
import { takePicture } from './picture/take-picture.ts';
import { refuseWorkers } from './refuse-workers.ts';
import { createRest } from './rest.ts';
import { runDocument } from './run-document.ts';
import { createPageTree } from './tree.ts';
import { createColorScheme } from './screen/color-scheme.ts';
import { readView } from './screen/view.ts';

// 10 s for loading and 2 s for reacting. Then the page is read as it is.
const openMs = 10_000;
const actMs = 2_000;

export function startFrame(setup: FrameSetup): void {
  const { path, root, query, hash, env, entries } = setup;
  const link = createLink();
  const rest = createRest();
  const { report, flush } = watchConsole(link);
  const tree = createPageTree();
  giveMemoryStorage();
  refuseWorkers();
  giveAddress({ path, root, query }, (address) => {
    void link.follow(address, false).then((message) => report('request', message));
  });
  waitForSteps(rest);
  // npm packages read these without checking that they exist.
  Object.assign(window, { process: { env: { NODE_ENV: 'development' } }, global: window });
  // Vue warns about what a bundler would have defined.
  Object.assign(window, { __VUE_OPTIONS_API__: true, __VUE_PROD_DEVTOOLS__: false });
  Object.assign(window, { __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: false });
  const dialogs = answerDialogs(report);
  const colors = createColorScheme(setup.colorScheme);
  serveFiles(link, rest, report);
  keepInPage(link, rest, report);
  beginAt(hash);
  const modules = createModules(link, rest, { path, env, report });
  runDocument(entries, modules.prepareDocument, async (entry) => {
    try {
      if (entry.type === 'script') runScript(entry.code, entry.path);
      else await modules.import(entry.specifier, path);
    } catch (error) {
      report('error', `Uncaught ${describe(error)}`);
    }
  });

  let wasRead = false;
  link.onAction((asked) => void answer(asked));

  async function answer({ id, action, isInteractive }: AskedAction): Promise<void> {
    try {
      // A page that is still loading is acted on when it is ready.
      if (!wasRead) await rest.come(openMs);
      colors.apply();
      await act(action, tree, dialogs, colors);
      if (wasRead) await rest.come(actMs);
      wasRead = true;
      colors.apply();
      if (action.type === 'screenshot') {
        const { fullPage = false, ref } = action;
        const element = ref === undefined ? undefined : findElement(tree, ref);
        link.tell({
          type: 'picture',
          id,
          ...(await takePicture({ isWhole: fullPage, ...(element && { element }) })),
        });
        return;
      }
      flush();
      const text = listFor(action, isInteractive);
      link.tell({ type: 'page', id, title: document.title, tree: text, view: readView() });
    } catch (error) {
      flush();
      link.tell({ type: 'refused', id, message: error instanceof Error ? error.message : '' });
    }
  }

  function listFor(action: AskedAction['action'], isInteractive: boolean): string {
    if (action.type === 'find') return tree.search(action.text);
    const ref = action.type === 'read' ? action.ref : undefined;
    const root = ref === undefined ? undefined : findElement(tree, ref);
    return tree.write({ isInteractive, ...(root && { root }) });
  }

  link.tell({ type: 'started' });
}
