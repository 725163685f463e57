import { act, useState } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import styles from '../../../demo/styles/layout.css?inline';
import { FileTree } from '../../../demo/files/file-tree.tsx';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

const files = {
  paths: ['/w/README.md', '/w/lib/a.ts', '/w/lib/deep/b.ts', '/w/src/c.ts'],
  changed: new Set(['/w/src/c.ts']),
  isLoading: false,
};

let mounted: Mounted;
let opened: string[];

function Tree() {
  const [openPath, setOpenPath] = useState<string | null>(null);
  return (
    <FileTree
      root="/w"
      files={files}
      openPath={openPath}
      onOpen={(path) => {
        opened.push(path);
        setOpenPath(path);
      }}
    />
  );
}

const rows = () => [...mounted.element.querySelectorAll<HTMLElement>('[role=treeitem]')];
const names = () => rows().map((row) => row.querySelector('.tree-name')?.textContent);
const press = (keys: string) => act(async () => userEvent.keyboard(keys));
const focused = () => document.activeElement?.querySelector('.tree-name')?.textContent;

beforeEach(async () => {
  opened = [];
  mounted = await mount(<Tree />);
  rows()[0]?.focus();
});

afterEach(() => mounted[Symbol.dispose]());

describe('FileTree', () => {
  it('lists directories first, with src unfolded, and marks what the agent changed', () => {
    expect(names()).toEqual(['lib', 'src', 'c.ts', 'README.md']);
    expect(rows()[2]?.textContent).toContain('changed by the agent');
  });

  it('has one tab stop, which moves with the arrows', async () => {
    await press('{ArrowDown}{ArrowDown}');
    expect(focused()).toBe('c.ts');
    expect(rows().map((row) => row.tabIndex)).toEqual([-1, -1, 0, -1]);
    await press('{ArrowLeft}');
    expect(focused()).toBe('src');
    await press('{End}');
    expect(focused()).toBe('README.md');
  });

  it('unfolds, goes in, and folds by the arrows', async () => {
    await press('{ArrowRight}');
    expect(names()).toEqual(['lib', 'deep', 'a.ts', 'src', 'c.ts', 'README.md']);
    expect(rows()[0]?.getAttribute('aria-expanded')).toBe('true');
    await press('{ArrowRight}{ArrowRight}');
    expect(names()).toContain('b.ts');
    await press('{Home}{ArrowLeft}');
    expect(names()).toEqual(['lib', 'src', 'c.ts', 'README.md']);
  });

  it('opens a file by Enter, and finds names by their first letter', async () => {
    await press('r');
    expect(focused()).toBe('README.md');
    await press('{Enter}');
    expect(opened).toEqual(['/w/README.md']);
    expect(rows().at(-1)?.getAttribute('aria-selected')).toBe('true');
  });

  it('goes on at the next row when the agent deletes the file of the one with the focus', async () => {
    const show = (...paths: string[]) =>
      mounted.render(
        <FileTree root="/w" files={{ ...files, paths }} openPath={null} onOpen={() => undefined} />,
      );
    await show('/w/a.ts', '/w/b.ts', '/w/c.ts');
    rows()[0]?.focus();
    await press('{ArrowDown}');
    await show('/w/a.ts', '/w/c.ts');
    expect(focused()).toBe('c.ts');
    await show('/w/a.ts');
    expect(focused()).toBe('a.ts');
    await show('/w/0.ts');
    expect(focused()).toBe('0.ts');
  });

  it('says level and place to screen readers', () => {
    const describeRow = (row: HTMLElement) =>
      ['aria-level', 'aria-posinset', 'aria-setsize'].map((name) => row.getAttribute(name)).join();
    expect(rows().map(describeRow)).toEqual(['1,1,3', '1,2,3', '2,1,1', '1,3,3']);
  });

  it('leaves room for a name that is deep down', async () => {
    const style = document.createElement('style');
    style.textContent = `${styles} .tree { width: 220px; font: 13px monospace }`;
    const deep = '/w/src/a/b/c/d/e/f/g/h/i/module.ts';
    const open = { paths: [deep], changed: new Set<string>(), isLoading: false };
    await mounted.render(
      <FileTree root="/w" files={open} openPath={deep} onOpen={() => undefined} />,
    );
    mounted.element.append(style);
    const name = rows().at(-1)?.querySelector<HTMLElement>('.tree-name');
    expect(name?.title).toBe('module.ts');
    expect(name?.scrollWidth).toBe(name?.clientWidth);
  });
});
