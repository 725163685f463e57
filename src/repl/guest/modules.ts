// `require` and `import` for cells, before they are used. Their work when they are called is in
// loader.ts, which is evaluated then.
import type { Kernel } from './kernel-type.ts';

/** Makes what stands for the loader. */
export function addModules(kernel: Kernel) {
  const loader = () => kernel.part('loader');
  kernel.classes = () => kernel.part('classes');
  kernel.requireFrom = (importer) => {
    const require = (specifier) => loader().require(specifier, importer);
    require.resolve = (specifier) => loader().resolve(specifier, importer);
    require.main = undefined;
    require.cache = {};
    return require;
  };
  kernel.importFrom = (importer, line) => async (specifier) =>
    loader().import(specifier, importer, line);
  kernel.metaOf = (path) => loader().metaOf(path);
  kernel.isUnchecked = (specifier, importer) => loader().isUnchecked(specifier, importer);
  /** Runs with a graph of its own; the old one is back when it returns. */
  kernel.withFreshModules = (run) => loader().withFreshModules(run);
  kernel.leaveModules = () => {
    if (kernel.hasPart('loader')) loader().leaveModules();
  };
}
