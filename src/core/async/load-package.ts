// Loads a package of npm on first use, where a page without a bundler may not have it.
import { SdkError } from '../errors.ts';

/** Which package is wanted. `what` says in the words of the error what needs it. */
export interface PackageWanted {
  readonly name: string;
  readonly what: string;
}

/**
 * `load` imports it: bundlers must see that written out.
 *
 * @throws SdkError `unsupported-environment` that says what to do where it can't be loaded.
 */
export async function loadPackage<Loaded>(
  { name, what }: PackageWanted,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    throw new SdkError(
      'unsupported-environment',
      `${what} needs the package ${name}, which couldn't be loaded. A page without a bundler can't load it, as it is ` +
        'CommonJS: build the page with one, such as Vite. With a bundler check the network, then try again.',
      { data: { package: name }, cause },
    );
  }
}
