// Placeholders for `require` and `import`. They load parts/loader.ts on first use.
import type { Kernel } from '../kernel-type.ts';

/** Defines the placeholders. */
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
  kernel.importFrom = (importer, line, names) => async (specifier) =>
    loader().import(specifier, importer, line, names);
  kernel.metaOf = (path) => loader().metaOf(path);
  kernel.isUnchecked = (specifier, importer) => loader().isUnchecked(specifier, importer);
  /** Runs with a new module graph. The old one is restored when `run` returns. */
  kernel.withFreshModules = (run) => loader().withFreshModules(run);
  kernel.leaveModules = () => {
    if (kernel.hasPart('loader')) loader().leaveModules();
  };
}
