// The error message for a module that is missing although its package is installed.
import type { Kernel } from '../kernel-type.ts';

export function findPackage(
  host: Kernel['host'],
  specifier: string,
  importer: string,
): ReturnType<Kernel['findPackage']> {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  if (name === undefined) return undefined;
  for (let at = importer.lastIndexOf('/'); at >= 0; at = importer.lastIndexOf('/', at - 1)) {
    const folder = importer.slice(0, at) + '/node_modules/' + name;
    const manifest = folder + '/package.json';
    if (host.exists(manifest)) {
      const start = '. The package is in ' + folder + ', but ';
      return /"exports"\s*:/.test(host.readText(manifest))
        ? {
            hint: start + 'the exports of its package.json lead to no file for it',
            code: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
          }
        : { hint: start + 'it has no file for it' };
    }
    if (at === 0) break;
  }
  return undefined;
}
