// The guest's world, put together: what is evaluated when a VM boots, and what waits until it is
// asked for. Everything here is text; nothing of it runs on the host's side.
import type { GuestCode } from '../engine.ts';
import { abortSource } from './abort.ts';
import { assertSource } from './assert.ts';
import { bufferSource } from './buffer.ts';
import { cellRuntimeSource } from './cell-runtime.ts';
import { consoleSource } from './console.ts';
import { diffSource } from './diff.ts';
import { equalitySource } from './equality.ts';
import { expectSource } from './expect.ts';
import { fsSource } from './fs.ts';
import { inspectSource } from './inspect.ts';
import { kernelSource } from './kernel.ts';
import { loaderSource } from './loader.ts';
import { mocksSource } from './mocks.ts';
import { nodeMockSource } from './node-mock.ts';
import { nodeModulesSource } from './node-modules.ts';
import { pathSource } from './path.ts';
import { platformSource } from './platform.ts';
import { processSource } from './process.ts';
import { testRunnerSource } from './test-runner.ts';
import { timersSource } from './timers.ts';

/** In this order: each part may use what the earlier ones hung on the kernel. */
const parts = [
  inspectSource,
  consoleSource,
  timersSource,
  bufferSource,
  processSource,
  pathSource,
  fsSource,
  equalitySource,
  diffSource,
  assertSource,
  abortSource,
  platformSource,
  loaderSource,
  nodeModulesSource,
  cellRuntimeSource,
];

const lazyParts: Readonly<Record<string, string>> = {
  expect: expectSource,
  mocks: mocksSource,
  'node-mock': nodeMockSource,
  'test-runner': testRunnerSource,
};

/** Stack lines of files with this prefix are the world's own, and are shown to nobody. */
const worldPrefix = 'rockpool:';

/** What {@link Engine.create} boots. */
export function bootCode(): GuestCode {
  const body = parts.map((part) => `(${part.trim()})(kernel);`).join('\n');
  return {
    source: `(function (host) {const kernel = (${kernelSource.trim()})(host);\n${body}\nreturn kernel;})`,
    filename: `${worldPrefix}world`,
  };
}

/** A part that the kernel loads on demand; undefined for a name that there isn't. */
export function lazyPart(name: string): GuestCode | undefined {
  const source = Object.hasOwn(lazyParts, name) ? lazyParts[name] : undefined;
  return source === undefined
    ? undefined
    : { source: source.trim(), filename: `${worldPrefix}${name}` };
}
