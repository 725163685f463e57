import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PersistentMap } from '../../../src/workspace/tree/persistent-map.ts';
import { TreeEditor } from '../../../src/workspace/tree/tree-editor.ts';
import {
  emptyRoot,
  nodeAt,
  visitTree,
  withNode,
  type DirectoryNode,
  type TreeNode,
} from '../../../src/workspace/tree/tree.ts';

const file = (version: number): TreeNode => {
  return { kind: 'file', content: 1, size: 1, mode: 0o644, mtimeMs: 0, version };
};
const directory = (version: number): DirectoryNode => {
  return { ...emptyRoot, entries: PersistentMap.empty<TreeNode>(), version };
};

function list(root: DirectoryNode): (readonly [string, string, number])[] {
  const all: (readonly [string, string, number])[] = [];
  visitTree('/', root, (path, { kind, version }) => all.push([path, kind, version]));
  return all;
}

/** What was thrown, or undefined. */
function failureOf(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Error).constructor;
  }
}

const path = fc.constantFrom('/a', '/b', '/a/a', '/a/b', '/b/a', '/a/a/a', '/a/a/b', '/');
const step = fc.record({ type: fc.constantFrom('file', 'directory', 'remove', 'look'), path });

describe('TreeEditor', () => {
  it('has after any puts what withNode makes of the same, and refuses what that refuses', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const editor = new TreeEditor(emptyRoot);
        let root = emptyRoot;
        steps.forEach(({ type, path: at }, version) => {
          if (type === 'look') return expect(list(editor.root)).toEqual(list(root));
          const node = type === 'file' ? file(version) : directory(version);
          const put = type === 'remove' ? undefined : node;
          const failure = failureOf(() => (root = withNode(root, at, put)));
          expect(failureOf(() => editor.put(at, put))).toBe(failure);
          expect(editor.get(at)).toEqual(nodeAt(root, at));
          const parent = nodeAt(root, at.slice(0, at.lastIndexOf('/')) || '/');
          expect(editor.hasParent(at)).toBe(parent?.kind === 'directory');
          expect(editor.parentVersion(at)).toBe(
            parent?.kind === 'directory' ? parent.version : undefined,
          );
        });
        expect(list(editor.root)).toEqual(list(root));
      }),
    );
  });

  it('leaves the root as it is that it began with, and is it while nothing changes', () => {
    const root = withNode(withNode(emptyRoot, '/d', directory(1)), '/d/f', file(1));
    const editor = new TreeEditor(root);
    expect([editor.get('/d/f'), editor.root === root]).toEqual([file(1), true]);
    const before = list(root);
    editor.put('/d/f', undefined);
    editor.put('/d', undefined);
    expect([list(root), list(editor.root)]).toEqual([before, list(emptyRoot)]);
  });
});
