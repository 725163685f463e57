// What keeps a worker from being created, in a document that has a policy of its own.
import { expect, it, onTestFinished } from 'vitest';
import { startWorker } from '../../../src/hosts/browser/pool/start-worker.ts';

it('says what a page that demands Trusted Types has to give', async () => {
  const frame = document.createElement('iframe');
  frame.srcdoc = `<meta http-equiv="content-security-policy" content="require-trusted-types-for 'script'">`;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  await loaded;
  const { Worker } = frame.contentWindow as Window & typeof globalThis;
  const start = () => startWorker({ asset: 'fsWorker', create: () => new Worker('/fs.worker.js') });
  expect(start).toThrow(
    /^The fsWorker could not be created: .*TrustedScriptURL.*(?<!\.)\. The page's policy demands Trusted Types: make a default policy/u,
  );
});
