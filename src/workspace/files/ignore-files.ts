// Finds the ignore files of one directory and parses their rules.
import type { ContentSource } from '../state/content-source.ts';
import { childPath, nodeAt, type DirectoryNode, type FileContent } from '../tree/tree.ts';
import type { AccessGate } from './access.ts';
import { ignoreFileKinds, type IgnoreFileKind, type IgnoreRules } from './ignore-rules.ts';

/** If these and the outer rules are the same, the rules inside the directory are the same. */
export interface IgnoreFiles {
  /** In the order of `ignoreFileKinds`. */
  readonly contents: readonly (FileContent | undefined)[];
  readonly isRepository: boolean;
}

export function findIgnoreFiles(gate: AccessGate, path: string, node: DirectoryNode): IgnoreFiles {
  const contents = ignoreFileKinds.map(({ file }) => {
    const found = nodeAt(node, `/${file}`);
    // Security: a denied or outside ignore file must not reveal its content by what it hides.
    return found?.kind === 'file' && gate.mayRead(childPath(path, file))
      ? found.content
      : undefined;
  });
  return { contents, isRepository: node.entries.get('.git') !== undefined };
}

/** Returns the rules inside the directory at `path`. */
export async function enterIgnoreFiles(
  source: ContentSource,
  path: string,
  { contents, isRepository }: IgnoreFiles,
  rulesOutside: IgnoreRules,
): Promise<IgnoreRules> {
  const texts = new Map<IgnoreFileKind, string>();
  for (const [at, { kind }] of ignoreFileKinds.entries()) {
    const content = contents[at];
    if (content === undefined) continue;
    const bytes = typeof content === 'number' ? (await source.readMany([content]))[0] : content;
    texts.set(kind, new TextDecoder().decode(bytes));
  }
  return rulesOutside.enter(path, texts, isRepository);
}
