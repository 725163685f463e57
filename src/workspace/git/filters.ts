// Handles files that `.gitattributes` assigns to a filter, such as Git LFS. Filters can't run here,
// so such a file isn't added: the repository would get the unfiltered bytes.
import { SdkError } from '../../core/errors.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { absolutePath, nodeIn, readContents, type Repository } from './repository.ts';

// The beginning of a Git LFS pointer file.
const pointer = 'version https://git-lfs.github.com/spec/';

/**
 * Refuses files that a filter would change. Pointers of Git LFS are accepted, because they are what
 * the repository stores.
 *
 * @throws SdkError `unsupported-environment` with `data.paths`
 */
export async function refuseFiltered(
  repository: Repository,
  paths: readonly string[],
): Promise<void> {
  const rules = new Map<string, IgnoreRules>();
  const filtered: string[] = [];
  for (const path of paths) {
    const slash = path.lastIndexOf('/');
    const inside = await rulesIn(repository, slash === -1 ? '' : path.slice(0, slash), rules);
    if (inside.verdict(`/${path}`, false, doNothing) !== 'ignored') continue;
    if (!(await isPointer(repository, path))) filtered.push(path);
  }
  if (filtered.length === 0) return;
  throw new SdkError(
    'unsupported-environment',
    `.gitattributes has a filter (Git LFS, say) for ${filtered.slice(0, 5).join(', ')}, and filters don't run here. Leave the file out, or add it with git on another machine.`,
    { data: { paths: filtered } },
  );
}

/**
 * Returns the patterns of a directory and those above it as ignore rules. A matching path is
 * filtered.
 */
async function rulesIn(
  repository: Repository,
  directory: string,
  known: Map<string, IgnoreRules>,
): Promise<IgnoreRules> {
  const found = known.get(directory);
  if (found) return found;
  const slash = directory.lastIndexOf('/');
  const outside =
    directory === ''
      ? IgnoreRules.none
      : await rulesIn(repository, slash === -1 ? '' : directory.slice(0, slash), known);
  const name = directory === '' ? '.gitattributes' : `${directory}/.gitattributes`;
  const node = nodeIn(repository, absolutePath(repository, name));
  let rules = outside;
  if (node?.kind === 'file') {
    const [bytes] = await readContents(repository, [node.content]);
    const patterns = toPatterns(new TextDecoder().decode(bytes));
    rules = outside.enter(`/${directory}`, new Map([['gitignore', patterns]]), false);
  }
  known.set(directory, rules);
  return rules;
}

/** Converts `*.png filter=lfs -text` to `*.png`, and `*.png -filter` to an exception. */
function toPatterns(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [pattern = '', ...attributes] = line.trim().split(/\s+/u);
      if (pattern.startsWith('#')) return [];
      const isOn = attributes.some((attribute) => attribute.startsWith('filter='));
      const isOff = attributes.some((attribute) => /^[-!]filter$/u.test(attribute));
      return isOn ? [pattern] : isOff ? [`!${pattern}`] : [];
    })
    .join('\n');
}

async function isPointer(repository: Repository, path: string): Promise<boolean> {
  const node = nodeIn(repository, absolutePath(repository, path));
  if (node?.kind !== 'file') return true;
  const [bytes] = await readContents(repository, [node.content]);
  return new TextDecoder().decode(bytes?.subarray(0, pointer.length)) === pointer;
}

function doNothing(): void {}
