// A leader whose medium fails twice: a write, and the undoing of it. What the log's end holds then is
// known to nobody before it is opened anew.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMediumError } from '../../../src/workspace/drivers/refusals.ts';
import { TabWorld, type DiskFailure, type Tab } from './tab-world.ts';

let world: TabWorld;

beforeEach(() => {
  world = new TabWorld();
});

function rolesOf(...tabs: Tab[]): string[] {
  return tabs.map((tab) => `${tab.id} ${tab.shared.role}`);
}

describe('a leader whose log broke', () => {
  it.each<DiskFailure>(['none', 'half', 'all'])(
    'gives up the lead, and what it or another tab had under way is applied once: %s was written',
    async (failure) => {
      const [first, second] = [await world.join('first'), await world.join('second')];
      await first.workspace.fs.writeFile('/a', '0');
      world.failures = [failure];
      const writing = [first, second].map((tab) => tab.workspace.fs.appendFile('/a', ` ${tab.id}`));
      await world.pass(2000);
      await Promise.all(writing);
      expect(rolesOf(first, second)).toEqual(['first follower', 'second leader']);
      const text = await first.workspace.fs.readFile('/a', 'utf8');
      expect(text.split(' ').toSorted()).toEqual(['0', 'first', 'second']);
      expect(first.shared.state).toEqual(second.shared.state);
      expect(await (await world.reopen()).fs.readFile('/a', 'utf8')).toBe(text);
    },
  );

  it('leads again where it is alone', async () => {
    const only = await world.join('only');
    world.failures = ['half'];
    const writing = only.workspace.fs.writeFile('/a', 'A');
    await world.pass(2000);
    await writing;
    expect(rolesOf(only)).toEqual(['only leader']);
    await only.workspace.fs.writeFile('/b', 'B');
    expect(await (await world.reopen()).fs.readdir('/')).toEqual(['a', 'b']);
  });

  it('tries again where what it lost before was the medium, and its log was whole', async () => {
    const only = await world.join('only');
    world.failures = ['none', 'half'];
    world.fence();
    const writing = only.workspace.fs.writeFile('/a', 'A');
    await world.pass(2000);
    await writing;
    expect(world.failures).toEqual([]);
    expect(await (await world.reopen()).fs.readdir('/')).toEqual(['a']);
  });

  it('tells its own writes that it broke where it is being closed, and leaves others’ to the next', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    world.failures = ['half'];
    const writing = [first, second].map((tab) => tab.workspace.fs.writeFile(`/${tab.id}`, 'A'));
    const outcomes = Promise.allSettled(writing);
    first.freezeBefore = 'append';
    await world.settle();
    const closing = first.shared.close();
    first.thaw();
    await world.pass(2000);
    await closing;
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'EIO' } },
      { status: 'fulfilled' },
    ]);
    expect(rolesOf(second)).toEqual(['second leader']);
    expect(await (await world.reopen()).fs.readdir('/')).toEqual(['second']);
  });

  it('refuses with EIO what breaks it again and again, and goes on once the medium does', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    world.failures = Array.from({ length: 100 }, () => 'half' as const);
    const writing = Promise.allSettled(
      [first, second].map((tab) => tab.workspace.fs.writeFile(`/${tab.id}`, 'lost')),
    );
    await world.pass(20_000);
    expect(await writing).toMatchObject([{ reason: { code: 'EIO' } }, { reason: { code: 'EIO' } }]);
    // Whoever leads has given up trying.
    expect(world.failures.length).toBeGreaterThan(90);
    world.failures = [];
    const last = second.workspace.fs.writeFile('/b', 'B');
    await world.pass(2000);
    await last;
    expect(await first.workspace.fs.readdir('/')).toEqual(['b']);
  });

  it('answers each write and each read where nobody can open it again, and goes on once somebody can', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await first.workspace.fs.writeFile('/a', 'A');
    world.failures = ['half'];
    world.openingError = createMediumError(new Error('The disk is gone.'));
    const asked = [
      first.workspace.fs.writeFile('/a', 'lost'),
      second.workspace.fs.writeFile('/b', 'B'),
    ];
    const outcomes = Promise.allSettled(asked);
    await world.pass(1000);
    const later = Promise.allSettled([first.workspace.fs.readFile('/a')]);
    await world.pass(10_000);
    const reason = {
      code: 'EIO',
      message:
        "The workspace's files can't be opened again. EIO: the medium failed (Error: The disk is gone.). " +
        'A change that was under way may have been kept or not: reload the page and check.',
    };
    expect(await outcomes).toMatchObject([{ reason }, { reason }]);
    expect(await later).toMatchObject([{ reason }]);
    world.openingError = undefined;
    await world.pass(2000);
    expect(await first.workspace.fs.readFile('/a', 'utf8')).toBe('A');
    await second.workspace.fs.writeFile('/b', 'B');
    expect(await (await world.reopen()).fs.readdir('/')).toEqual(['a', 'b']);
  });
});
