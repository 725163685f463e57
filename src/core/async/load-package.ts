// Loads an npm package at first use. A page without a bundler may not have it.
import { SdkError } from '../errors.ts';

/** Which package is wanted. `what` says in the words of the error what needs it. */
export interface PackageWanted {
  readonly name: string;
  readonly what: string;
}

/**
 * `load` contains the import, because bundlers must see it in the source.
 *
 * @throws SdkError `unsupported-environment` if it can't be loaded; the message says what to do
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
