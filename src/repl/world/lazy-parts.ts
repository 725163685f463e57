// The parts of the guest's world that wait until guest code asks for them: a VM boots faster without.
import { abortSource } from './abort.ts';
import { assertSource } from './assert.ts';
import { bufferSource } from './buffer.ts';
import { diffSource } from './diff.ts';
import { encodingSource } from './encoding.ts';
import { equalitySource } from './equality.ts';
import { eventsSource } from './events.ts';
import { expectSource } from './expect.ts';
import { fetchSource } from './fetch.ts';
import { fsSource } from './fs.ts';
import { hashSource } from './hash.ts';
import { loaderSource } from './loader.ts';
import { mocksSource } from './mocks.ts';
import { nodeMockSource } from './node-mock.ts';
import { nodeUtilSource } from './node-util.ts';
import { openFilesSource } from './open-files.ts';
import { pathSource } from './path.ts';
import { platformSource } from './platform.ts';
import { testRunnerSource } from './test-runner.ts';
import { toolsSource } from './tools.ts';
import { urlSource } from './url.ts';

/** Guest source by the name that `kernel.part` takes. */
export const lazyParts: Readonly<Record<string, string>> = {
  abort: abortSource,
  assert: assertSource,
  buffer: bufferSource,
  diff: diffSource,
  encoding: encodingSource,
  equality: equalitySource,
  events: eventsSource,
  expect: expectSource,
  fetch: fetchSource,
  fs: fsSource,
  hash: hashSource,
  loader: loaderSource,
  mocks: mocksSource,
  'node-mock': nodeMockSource,
  'open-files': openFilesSource,
  path: pathSource,
  platform: platformSource,
  'test-runner': testRunnerSource,
  tools: toolsSource,
  url: urlSource,
  util: nodeUtilSource,
};
