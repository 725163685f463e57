// An engine whose VMs needn't boot: booting takes some ten times as long as restoring an image does.
import type { Engine } from './engine.ts';

/**
 * The same engine. The second VM of a kind leaves an image, and later ones start from that. The
 * image is taken before any guest code runs, so it holds nobody's data. The first VM leaves none: a
 * single VM would have no use for it. One image is kept, of the newest kind.
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
