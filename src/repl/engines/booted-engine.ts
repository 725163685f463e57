// An engine whose VMs needn't boot: booting takes some ten times as long as restoring an image does.
import type { Engine } from '../engine.ts';

/**
 * The same engine. The first VM of a kind boots, and those after it start from its image, which was
 * taken before any guest code ran: it holds nothing of anybody. One image is kept, of the newest kind.
 */
export function createBootedEngine(engine: Engine): Engine {
  let image: Uint8Array | undefined;
  let kind: string | undefined;
  return {
    version: () => engine.version(),
    restore: (snapshot, options) => engine.restore(snapshot, options),
    async create(options, boot) {
      // The bounds are in the image, and what a host function is called.
      const names = Object.keys(options.hostFunctions).join();
      const asked = [options.memoryBytes, options.stackBytes, names, boot.source].join('\n');
      if (image && kind === asked) return engine.restore(image, options);
      const vm = await engine.create(options, boot);
      image = vm.snapshot();
      kind = asked;
      return vm;
    },
  };
}
