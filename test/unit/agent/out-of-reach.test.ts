// Nobody is asked about what fails whatever they say: a file outside all directories of the session.
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const write = (file_path: string) => callTool('Write', { file_path, content: 'x' });
const read = (file_path: string) => callTool('Read', { file_path });
const asking: HookedOptions = { settings: { permissions: { ask: ['Read', 'Write', 'Grep'] } } };

async function play(turn: ReturnType<typeof write>, options: HookedOptions) {
  await using host = await openHost();
  await host.workspace.fs.mkdir('/other');
  const asked: string[] = [];
  const judged: string[] = [];
  const canUseTool: CanUseTool = async (name) => {
    asked.push(name);
    return { behavior: 'allow' };
  };
  const autoClassifier: HookedOptions['autoClassifier'] = async ({ toolName }) => {
    judged.push(toolName);
    return { behavior: 'ask', message: 'It is not sure.' };
  };
  const hooks: HookedOptions['hooks'] = {
    PermissionRequest: [
      {
        hooks: [
          async () => {
            judged.push('hook');
            return {};
          },
        ],
      },
    ],
  };
  const { messages } = await runHooked(host, [turn], {
    canUseTool,
    autoClassifier,
    hooks,
    ...options,
  });
  return { asked, judged, result: toResults(messages).at(-1) ?? '' };
}

describe('a call on a file outside all directories', () => {
  it.each<[string, ReturnType<typeof write>, HookedOptions]>([
    ['a Write', write('/other/x'), {}],
    ['a Write by another spelling', write('../other/x'), {}],
    ['a Write in mode auto', write('/other/x'), { permissionMode: 'auto' }],
    ['a Write that a rule asks about', write('/other/x'), asking],
    ['a Write of a protected file', write('/other/.git/config'), {}],
    ['a Read that a rule asks about', read('/other/x'), asking],
    ['a search above them all', callTool('Grep', { pattern: 'one', path: '/' }), asking],
    [
      'a Write of a cell',
      callTool('Repl', { code: `await tools.Write({ file_path: '/other/x', content: '' })` }),
      {},
    ],
  ])('fails before anybody is asked: %s', async (_, turn, options) => {
    const { asked, judged, result } = await play(turn, options);
    expect({ asked, judged, result }).toEqual({
      asked: [],
      judged: [],
      result: expect.stringContaining(
        'EACCES: the path is outside the workspace; paths must be in /workspace, /session/',
      ),
    });
  });

  it.each<[string, ReturnType<typeof write>, HookedOptions, string]>([
    ['inside', write('b.txt'), {}, 'Write'],
    ['in a further directory', write('/other/x'), { additionalDirectories: ['/other'] }, 'Write'],
  ])('is asked about %s', async (_, turn, options, name) => {
    const { asked, result } = await play(turn, options);
    expect([asked, result]).toEqual([[name], expect.not.stringContaining('EACCES')]);
  });

  it('says so of the session’s own files, which nobody may write', async () => {
    await using host = await openHost();
    const { messages } = await runHooked(host, [write('/session/s/x')], {
      sessionId: 's',
      canUseTool: async () => Promise.reject(new Error('It was asked.')),
    });
    expect(toResults(messages)).toEqual([
      "EROFS: it can only be read; what may be written is in /workspace, open '/session/s/x'",
    ]);
  });
});
