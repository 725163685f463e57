// An engine whose VMs needn't boot: booting takes some ten times as long as restoring an image does.
import type { Engine } from './engine.ts';

/**
 * The same engine. The second VM of a kind leaves an image, and those after it start from that. The
 * image is taken before any guest code runs, and so holds nothing of anybody. The first VM leaves
 * none: nothing is done that a single VM has no use for. One image is kept, of the newest kind.
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
      const isKnown = kind === asked;
      if (image && isKnown) return engine.restore(image, options);
      const vm = await engine.create(options, boot);
      image = isKnown ? vm.snapshot() : undefined;
      kind = asked;
      return vm;
    },
  };
}
