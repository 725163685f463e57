// An engine that restores new VMs from an image. Booting a VM takes some ten times as long.
import type { Engine } from './engine.ts';

/**
 * Wraps an engine so that new VMs start from an image. The image is taken when a second VM with the
 * same options boots, because a single VM doesn't need one. No guest code has run by then, so the
 * image holds no session's data. One image is kept, for the newest options.
 */
export function createBootedEngine(engine: Engine): Engine {
  let image: Uint8Array | undefined;
  let kind: string | undefined;
  return {
    version: () => engine.version(),
    restore: (snapshot, options) => engine.restore(snapshot, options),
    async create(options, boot) {
      // The image depends on the limits, the names of the host functions, and the boot code.
      const names = Object.keys(options.hostFunctions).join();
      const asked = [options.memoryBytes, options.stackBytes, names, boot.source].join('\n');
      const isKnown = kind === asked;
      if (image && isKnown) return engine.restore(image, options);
      const vm = await engine.create(options, boot);
      image = isKnown ? vm.snapshot() : undefined;
      kind = asked;
      return vm;
    },
  };
}
