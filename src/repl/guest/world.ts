// The code that is evaluated when a VM boots. Files in parts/ wait until guest code asks for them:
// a VM boots faster without.
import { addArguments } from './arguments.ts';
import { addAsyncContext } from './async-context.ts';
import { addCellRuntime } from './cell-runtime.ts';
import { addConsole } from './console.ts';
import type { HostFunctions } from './host.ts';
import { addInspect } from './inspect.ts';
import { createKernel } from './kernel.ts';
import type { Kernel } from './kernel-type.ts';
import { addLocales } from './locales.ts';
import { addModules } from './modules.ts';
import { addNodeModules } from './node-modules.ts';
import { addProcess } from './process.ts';
import { addTimers } from './timers.ts';

/** Makes the world and returns its kernel. `intrinsics` are handed to each part that comes later. */
export function boot(host: HostFunctions, intrinsics: readonly unknown[]): Kernel {
  const kernel = createKernel(host);
  kernel.intrinsics = intrinsics;
  // The order matters: each may use members that the earlier ones added to the kernel.
  addInspect(kernel);
  addArguments(kernel);
  addConsole(kernel);
  addAsyncContext(kernel);
  addTimers(kernel);
  addProcess(kernel);
  addModules(kernel);
  addNodeModules(kernel);
  addLocales(kernel);
  addCellRuntime(kernel);
  return kernel;
}
