// Which tools a request offers, in which order, and why the others are absent.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRules } from '../../../../src/agent/permissions/rules.ts';
import {
  assembleToolPool,
  filterToolsByDenyRules,
  getAllBaseTools,
  getMergedTools,
  getTools,
} from '../../../../src/agent/registry/assemble.ts';
import type { PoolContext } from '../../../../src/agent/registry/assemble.ts';
import { explainPool as explainAbsent } from '../../../../src/agent/registry/prepare-pool.ts';
import {
  insideOnlyTools,
  specialTools,
  toolGates,
} from '../../../../src/agent/registry/tool-gates.ts';
import type { ToolSwitches } from '../../../../src/agent/registry/tool-gates.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { lookTool } from '../../../support/stages/test-tools.ts';

const named = (...names: readonly string[]) => names.map((name) => lookTool({ name }));
const names = (tools: readonly Pick<Tool, 'name'>[]) => tools.map((tool) => tool.name);

const context = (changes: Partial<PoolContext> & { readonly deny?: readonly string[] } = {}) => ({
  builtIn: [],
  others: [],
  unchosen: [],
  switches: {},
  permissions: {
    mode: 'default',
    rules: parseRules(changes.deny ?? [], 'deny', 'session'),
    additionalWorkingDirectories: new Map(),
  } as const,
  ...changes,
});

const poolNames = (changes: Parameters<typeof context>[0]) => {
  const { builtIn, others } = assembleToolPool(context(changes));
  return names([...builtIn, ...others]);
};

const always = [
  ...['Agent', 'Repl', 'Read', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch'],
  ...['TodoWrite', 'TaskStop', 'AskUserQuestion', 'Skill', 'EnterPlanMode', 'ExitPlanMode'],
  'SendMessage',
];

describe('assembleToolPool', () => {
  it('sorts by code unit, built-in tools first, and lets no other take a name', () => {
    const builtIn = named('Write', 'Read', 'a', 'Z', 'ä');
    const others = named('mcp__b__x', 'Read', 'A', 'A');
    const pool = assembleToolPool(context({ builtIn, others }));
    expect(names(pool.builtIn)).toEqual(['Read', 'Write', 'Z', 'a', 'ä']);
    expect(names(pool.others)).toEqual(['A', 'mcp__b__x']);
    expect([pool.builtIn[0], pool.others[0]]).toEqual([builtIn[1], others[2]]);
    expect(pool.others[0]).toBe(others[2]);
  });

  it('offers no other tool under the name of a built-in that is off', () => {
    const changes = { builtIn: named('Read', 'Write'), others: named('Write') };
    expect(poolNames({ ...changes, switches: { simple: true } })).toEqual(['Read']);
    expect(poolNames({ ...changes, deny: ['Write'] })).toEqual(['Read']);
  });

  it('lets another tool have the name of a built-in that was not chosen', () => {
    expect(poolNames({ unchosen: named('Write'), others: named('Write') })).toEqual(['Write']);
  });

  it('is the same whatever the order of its tools', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...new Set([...always, ...toolGates.keys()])]),
        fc.shuffledSubarray(['mcp__a__x', 'mcp__a__y', 'B', 'b']),
        (builtIn, others) => {
          const pool = poolNames({ builtIn: named(...builtIn), others: named(...others) });
          const again = poolNames({
            builtIn: named(...builtIn.toReversed()),
            others: named(...others.toReversed()),
          });
          expect(again).toEqual(pool);
        },
      ),
    );
  });

  it('leaves out what is disabled, can’t say, or is denied as a whole', () => {
    const fail = () => {
      throw new Error('x');
    };
    const builtIn = [
      ...named('Read', 'Denied'),
      lookTool({ name: 'Off', isEnabled: () => false }),
      lookTool({ name: 'Broken', isEnabled: fail }),
    ];
    const others = named('mcp__git__status', 'mcp__web__get');
    const deny = ['Denied', 'mcp__git', 'Read(secrets/**)'];
    expect(poolNames({ builtIn, others, deny })).toEqual(['Read', 'mcp__web__get']);
  });

  it('asks a tool anew each time whether it is enabled', () => {
    let isEnabled = false;
    const builtIn = [lookTool({ name: 'Moody', isEnabled: () => isEnabled })];
    expect(poolNames({ builtIn })).toEqual([]);
    isEnabled = true;
    expect(poolNames({ builtIn })).toEqual(['Moody']);
  });
});

describe('the switches', () => {
  const all = named(...new Set([...always, ...toolGates.keys(), ...specialTools.keys()]));
  const offered = (switches: ToolSwitches) => poolNames({ builtIn: all, switches });
  const gained = (switches: ToolSwitches) => {
    const before = offered({});
    return offered(switches).filter((name) => !before.includes(name));
  };

  it('leave the tools that are always there, and those that nothing shuts', () => {
    expect(offered({})).toEqual([...always, 'Glob', 'Grep'].toSorted());
  });

  it.each<[keyof ToolSwitches, string]>([
    ['tasksV2', 'TaskCreate TaskGet TaskList TaskUpdate'],
    ['worktrees', 'EnterWorktree ExitWorktree'],
    ['teams', 'TeamCreate TeamDelete'],
    ['toolSearch', 'ToolSearch'],
    ['lsp', 'LSP'],
    ['preview', 'WebBrowser'],
    ['proactive', 'SendUserFile SendUserMessage Sleep'],
    ['brief', 'SendUserMessage'],
    ['triggers', 'CronCreate CronDelete CronList ScheduleWakeup'],
    ['historySnip', 'Snip'],
    ['remoteTrigger', 'RemoteTrigger'],
    ['mcpResources', 'ListMcpResourcesTool ReadMcpResourceDirTool ReadMcpResourceTool'],
    ['outputSchema', 'SyntheticOutput'],
    ['coordinator', ''],
    ['replMode', ''],
  ])('%s adds %s', (name, added) => {
    expect(gained({ [name]: true }).join(' ')).toBe(added);
  });

  it('have one list of tasks, not two, and search in one place', () => {
    expect(offered({ tasksV2: true })).not.toContain('TodoWrite');
    expect(offered({ embeddedSearch: true })).toEqual(always.toSorted());
  });

  it('simple leaves three tools, one with REPL mode, and a coordinator its own', () => {
    expect(offered({ simple: true, toolSearch: true })).toEqual(['Edit', 'Read', 'Repl']);
    expect(offered({ simple: true, replMode: true })).toEqual(['Repl']);
    expect(offered({ simple: true, coordinator: true })).toEqual(
      ['Agent', 'Edit', 'Read', 'Repl', 'SendMessage', 'TaskStop'].toSorted(),
    );
    expect(poolNames({ builtIn: all, switches: { simple: true }, deny: ['Edit'] })).toEqual([
      'Read',
      'Repl',
    ]);
  });

  it('REPL mode keeps the tools on files for cells', () => {
    const pool = assembleToolPool(
      context({ builtIn: all, switches: { replMode: true }, deny: ['Grep'] }),
    );
    const inside = [...insideOnlyTools].filter((name) => name !== 'Grep').toSorted();
    expect(names(pool.insideOnly)).toEqual(inside);
    expect(names(pool.builtIn).filter((name) => insideOnlyTools.has(name))).toEqual([]);
  });
});

describe('the parts of a pool', () => {
  const builtIn = named('Write', 'Grep', 'LSP', 'SyntheticOutput');
  const others = named('mcp__b__x', 'mcp__a__y', 'mcp__b__x');
  const parts = context({ builtIn, others, deny: ['Write', 'mcp__a'] });

  it('are all tools of this build, those that may be offered, and all for counting', () => {
    expect(names(getAllBaseTools(parts))).toEqual(['Write', 'Grep', 'SyntheticOutput']);
    expect(names(getTools(parts))).toEqual(['Grep']);
    expect(names(getMergedTools(parts))).toEqual(['Grep', ...names(others)]);
    expect(names(filterToolsByDenyRules(others, parts.permissions))).toEqual([
      'mcp__b__x',
      'mcp__b__x',
    ]);
  });
});

const explainPool = (given: PoolContext) => explainAbsent(assembleToolPool(given).absent);

describe('a context that is none', () => {
  const { permissions, ...rest } = context();
  const bad: readonly unknown[] = [
    ...[undefined, {}, { builtIn: [], permissions }, rest],
    { ...rest, permissions: { mode: 'default' } },
  ];
  it.each([getAllBaseTools, getTools, assembleToolPool, getMergedTools])(
    'is refused with what to write instead: %o',
    (read) => {
      for (const given of bad) {
        expect(() => read(given as PoolContext)).toThrow(
          'The tools follow from { builtIn, switches, permissions }: write { builtIn: await host.loadTools()',
        );
      }
    },
  );

  it('is refused by the filter, too', () => {
    expect(() => filterToolsByDenyRules([], rest as never)).toThrow('permissions with their rules');
  });
});

describe('explainPool', () => {
  it('says for each absent tool why', () => {
    const absent = explainPool(
      context({
        builtIn: [
          ...named('Edit', 'LSP', 'Read', 'SyntheticOutput', 'TodoWrite', 'Write'),
          lookTool({ name: 'Off', isEnabled: () => false }),
        ],
        others: named('Write', 'mcp__git__log'),
        unchosen: named('Glob'),
        switches: { replMode: true, tasksV2: true },
        deny: ['Edit', 'mcp__git'],
      }),
    );
    expect(absent.map(({ message }) => message)).toEqual([
      'Edit is denied: the deny rule Edit says so (set during this session).',
      'Glob is left out by tools.',
      "LSP comes with a language server of the host's.",
      "Off is disabled by itself, or can't say whether it is enabled.",
      "Read is called from a cell's code only, as tools.Read(…).",
      'SyntheticOutput is offered only while outputSchema holds.',
      'TodoWrite is left out by tasksV2.',
      'Write is the name of another tool, which came first.',
      "Write is called from a cell's code only, as tools.Write(…).",
      'mcp__git__log is denied: the deny rule mcp__git says so (set during this session).',
    ]);
  });

  it('says nothing of what is offered', () => {
    expect(explainPool(context({ builtIn: named(...always) }))).toEqual([]);
  });
});
