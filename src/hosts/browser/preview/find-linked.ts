// Resolves a link of a previewed page to another page, or explains why it can't be followed.
import { clipText } from '../../../core/text/clip-text.ts';
import { isRemote, type AppFiles } from './app-files.ts';
import type { FromFrame } from './frame/messages.ts';

export interface LinkedPage {
  readonly path: string;
  /** The fragment with its `#`; empty if the link has none. */
  readonly hash: string;
  /** The query with its `?`; empty if the link has none. */
  readonly query: string;
}

// 300: longer than any path, so that a `data:` URL isn't shown.
const maxShownChars = 300;

/**
 * Only a click by a person opens another page. For clicks by scripts, including the agent's, the
 * path is returned in an error instead, because opening a page requires permission.
 *
 * @throws SdkError as {@link AppFiles}
 */
export async function findLinked(
  files: AppFiles,
  page: string,
  { address, isPersons }: Pick<Extract<FromFrame, { type: 'link' }>, 'address' | 'isPersons'>,
): Promise<LinkedPage | { readonly refusal: string }> {
  const refuse = (why: string) => ({
    refusal: `The link to ${clipText(address, maxShownChars)} wasn't followed: ${why}`,
  });
  if (isRemote(address)) return refuse('a preview shows pages of the workspace alone.');
  const [, name = '', query = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/su.exec(address) ?? [];
  const path = name === '' ? page : await findPage(files, name, page);
  if (path === undefined) return refuse('there is no such file in the workspace (404).');
  if (!/\.html?$/iu.test(path)) return refuse('it is no HTML file.');
  // Security: a page can claim this for any click. The browser counts a click in a frame as an
  // activation of the outer pages as well. That the frame has the focus was checked before.
  if (isPersons && navigator.userActivation.isActive) return { path, hash, query };
  return refuse(`a script clicked it. To see that page, open ${path}.`);
}

/** As on a server, a directory means its index.html. */
async function findPage(files: AppFiles, name: string, page: string): Promise<string | undefined> {
  const found = await files.find(name, page);
  return found ?? files.find(name.replace(/\/?$/u, '/index.html'), page);
}
