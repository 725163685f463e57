// A person clears the site's data while tabs have the workspace open. What a tab still shows is nowhere else then.
import { beforeEach, describe, expect, it } from 'vitest';
import { TabWorld, type Tab } from './tab-world.ts';

let world: TabWorld;

beforeEach(() => {
  world = new TabWorld();
});

const cleared = {
  status: 'rejected',
  reason: {
    code: 'EIO',
    message:
      "EIO: this site's data was cleared while the workspace was open: nothing more is kept. " +
      'Save elsewhere what you still need, and reload the page.',
  },
};

const write = (tab: Tab, path: string) =>
  Promise.allSettled([tab.workspace.fs.writeFile(path, '')]);

describe('a tab that has what is on the medium no more', () => {
  it('says so to what it had under way and to all that follows, and shows what it has', async () => {
    const only = await world.join('only');
    await only.workspace.fs.writeFile('/a', 'A');
    // A second ownership: the cleared medium counts from the first again.
    world.failures = ['half'];
    const before = write(only, '/b');
    await world.pass(2000);
    expect(await before).toMatchObject([{ status: 'fulfilled' }]);

    world.clear();
    world.failures = ['half'];
    const underWay = write(only, '/c');
    await world.pass(2000);
    expect(await underWay).toMatchObject([cleared]);
    expect(await write(only, '/d')).toMatchObject([cleared]);
    expect(await only.workspace.fs.readdir('/')).toEqual(['a', 'b']);
    await only.shared.close();
  });

  it('leaves the lead to a tab that was opened since', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await first.workspace.fs.writeFile('/a', 'A');
    world.clear();
    world.kill(first);
    const { joined } = world.open('third');
    await world.pass(2000);
    const third = await joined;
    expect(third.shared.role).toBe('leader');
    expect(await third.workspace.fs.readdir('/')).toEqual([]);
    await third.workspace.fs.writeFile('/new', 'N');
    expect(await write(second, '/b')).toMatchObject([cleared]);
    expect(await second.workspace.fs.readFile('/a', 'utf8')).toBe('A');
    expect(await third.workspace.fs.readdir('/')).toEqual(['new']);
  });
});
