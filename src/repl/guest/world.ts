// The code that runs when a VM boots. Files in parts/ are loaded on demand, so that a VM boots
// faster.
import { addArguments } from './arguments.ts';
import { addAsyncContext } from './async-context.ts';
import { addCellRuntime } from './cell-runtime.ts';
import { addConsole } from './console.ts';
import type { HostFunctions } from './host.ts';
import { addInspect } from './inspect.ts';
import { createKernel } from './kernel.ts';
import type { Kernel } from './kernel-type.ts';
import { addLocales } from './locales.ts';
import { addModules } from './modules/placeholders.ts';
import { addNodeModules } from './modules/node-modules.ts';
import { addProcess } from './process.ts';
import { addTimers } from './timers.ts';

/**
 * Creates the world and returns its kernel. `intrinsics` are passed to each part that loads later.
 */
export function boot(host: HostFunctions, intrinsics: readonly unknown[]): Kernel {
  const kernel = createKernel(host);
  kernel.intrinsics = intrinsics;
  // The order matters: each may use members that earlier ones have added to the kernel.
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
