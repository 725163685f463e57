// Puts the world back as it was before a file of tests, as if the file had a process of its own.
import type { Kernel } from '../kernel-type.ts';

type Watched = Pick<Kernel, 'cwd' | 'forgetListeners' | 'madeModules' | 'onModule' | 'process'>;

/** Remembers the globals, `process` and Node's modules as they are. The result puts them back. */
export function leaveAsFound(kernel: Watched): () => void {
  const found = new Map<object, object>();
  const remember = (object: unknown) => {
    if ((typeof object === 'object' && object !== null) || typeof object === 'function')
      found.set(object, Object.getOwnPropertyDescriptors(object));
  };
  const { env } = kernel.process;
  const cwd = kernel.cwd();
  const putListenersBack = kernel.forgetListeners();
  for (const object of [globalThis, kernel.process, env, ...kernel.madeModules]) remember(object);
  // Modules that the file is the first to use.
  kernel.onModule = remember;
  return () => {
    kernel.onModule = undefined;
    for (const [object, before] of found) {
      for (const name of Reflect.ownKeys(object))
        if (!Object.hasOwn(before, name)) Reflect.deleteProperty(object, name);
      for (const name of Reflect.ownKeys(before))
        Reflect.defineProperty(object, name, before[name as string]);
    }
    kernel.process.env = env;
    putListenersBack();
    if (kernel.cwd() !== cwd) kernel.process.chdir(cwd);
  };
}
