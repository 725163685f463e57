// `applyFlagSettings`: what `settings` say, changed while the query runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../../src/agent/host.ts';
import { openSession } from '../../../../../src/agent/open-session.ts';
import { query } from '../../../../../src/agent/query.ts';
import type { Query } from '../../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../../src/agent/query-options.ts';
import type { FlagSettings } from '../../../../../src/agent/session/settings/flag-settings.ts';
import type { SDKMessage } from '../../../../../src/core/messages/sdk-message.ts';
import type { Model } from '../../../../../src/model/model.ts';
import { createScriptedModel } from '../../../../../src/model/scripted.ts';
import type { ScriptTurn } from '../../../../../src/model/script.ts';
import { openHost, say, toResults, write } from '../../../../support/turns/run-hooked.ts';
import { turnByTurn } from '../../../../support/turns/turn-by-turn.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

/** Applies the settings of each round before its prompt is sent, and notes what every request was asked with. */
async function play(
  turns: readonly ScriptTurn[],
  rounds: readonly (FlagSettings | string | undefined)[],
  options: Omit<QueryOptions, 'host' | 'model'> = {},
  errors: unknown[] = [],
) {
  const asked: [who: string, effort: string | undefined][] = [];
  const named = (name: string): Model => {
    const scripted = createScriptedModel({ script: { turns } });
    return {
      ...scripted,
      name,
      stream(request, streamOptions) {
        asked.push([name, request.effort]);
        return scripted.stream(request, streamOptions);
      },
    };
  };
  async function* prompts() {
    for (const round of rounds) {
      if (typeof round === 'string') yield round;
      else {
        if (round) await running.applyFlagSettings(round).catch((error) => errors.push(error));
        yield 'Go.';
      }
    }
  }
  const { prompt, hear } = turnByTurn(prompts());
  const running: Query = query({
    prompt,
    options: {
      permissionMode: 'dontAsk',
      toolSearch: false,
      ...options,
      ...{ host, model: named('own'), models: { other: named('other') } },
    },
  });
  const messages: SDKMessage[] = [];
  for await (const message of running) {
    messages.push(message);
    hear(message);
  }
  if (errors.length > 1) throw errors[1];
  return { asked, isDone: toResults(messages).map((text) => text.startsWith('Made')) };
}

/** Each prompt writes one file. */
const writes = (...paths: readonly string[]) =>
  paths.flatMap((path, at) => [
    { blocks: write(path).blocks.map((block) => ({ ...block, id: `call-${at}` })) },
    say('Done.'),
  ]);

describe('applyFlagSettings', () => {
  it('puts its rules and directories in place of those of the settings, until null', async () => {
    const { isDone } = await play(
      writes('a/1.txt', 'a/2.txt', 'b/1.txt', '/docs/1.txt', 'b/2.txt'),
      [
        undefined,
        {
          permissions: {
            allow: ['Edit(b/**)', 'Edit(/docs/**)'],
            additionalDirectories: ['/docs'],
          },
        },
        undefined,
        undefined,
        { permissions: null },
      ],
      { settings: { permissions: { allow: ['Edit(a/**)'] } } },
    );
    expect(isDone).toEqual([true, false, true, true, false]);
  });

  it('leaves the options, and what was decided meanwhile, as they are', async () => {
    const { isDone } = await play(
      writes('a/1.txt', 'c/1.txt'),
      [{ permissions: { allow: ['Edit(**)'] } }, undefined],
      { disallowedTools: ['Edit(a/**)'] },
    );
    expect(isDone).toEqual([false, true]);
  });

  it('chooses the model and the effort of the next requests, also behind /clear', async () => {
    const { asked } = await play(
      [say('One.'), say('Two.'), say('Three.')],
      [
        undefined,
        { model: 'other', effortLevel: 'low' },
        '/clear',
        undefined,
        { model: null, effortLevel: null },
      ],
      { effort: 'high' },
    );
    expect(asked).toEqual([
      ['own', 'high'],
      ['other', 'low'],
      ['other', 'low'],
      ['own', undefined],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['an unknown key', { permisions: {} }, 'Did you mean permissions?'],
    ['a mode', { permissions: { defaultMode: 'plan' } }, 'call setPermissionMode'],
    ['a model that is not there', { model: 'haiku', effortLevel: 'low' }, 'no model named "haiku"'],
    ['an effort that is none', { effortLevel: 'lots', model: 'other' }, 'effortLevel is one of'],
    ['rules that can not hold', { permissions: { allow: ['Edit(('] }, model: 'other' }, 'Edit(('],
    ['no object', ['plan'], 'takes an object'],
  ])('refuses %s, and changes nothing', async (_what, settings, message) => {
    const errors: unknown[] = [];
    const { asked } = await play(
      [say('One.')],
      [settings as FlagSettings],
      { effort: 'high' },
      errors,
    );
    expect([String(errors[0]), asked]).toEqual([
      expect.stringContaining(message),
      [['own', 'high']],
    ]);
  });
});

describe('applyFlagSettings of an open session', () => {
  it('holds behind /clear, and a model that the host sets ends what it has chosen', async () => {
    const asked: string[] = [];
    const named = (name: string): Model => {
      const scripted = createScriptedModel({ script: { turns: [say('One.'), say('Two.')] } });
      return {
        ...scripted,
        name,
        stream(request, options) {
          asked.push(`${name} ${request.effort}`);
          return scripted.stream(request, options);
        },
      };
    };
    const own = named('own');
    const session = await openSession({ host, model: own, models: { other: named('other') } });
    const speak = async (text: string, results: number) => {
      await session.send(text);
      let seen = 0;
      for await (const { type } of session.messages()) {
        if (type === 'result') seen += 1;
        if (seen === results) break;
      }
    };
    await session.applyFlagSettings({ model: 'other', effortLevel: 'low' });
    await speak('Go.', 1);
    await speak('/clear', 2);
    await speak('Go.', 1);
    await session.setModel(own);
    await speak('Go.', 2);
    expect(asked).toEqual(['other low', 'other low', 'own low']);
    await expect(session.applyFlagSettings({ model: 'none' })).rejects.toThrow('no model named');
    await session.close();
  });
});
